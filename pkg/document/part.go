package document

import "fmt"

// PartKind says what the parts of a document are called.
type PartKind string

// The parts of documents.
const (
	PartCell    PartKind = "cell"    // of a notebook
	PartMessage PartKind = "message" // of a box of e-mail
	PartPage    PartKind = "page"    // of what is laid out for printing
	PartRow     PartKind = "row"     // of a table
	PartSlide   PartKind = "slide"   // of a presentation
)

// Part says where in a document something stands, as those who open it count: from
// 1, both ends included.
type Part struct {
	Kind PartKind `json:"kind"`
	From int      `json:"from"`
	To   int      `json:"to"`
}

// String is what people call the part: "cell 6", "rows 2-40".
func (p Part) String() string {
	if p.From == p.To {
		return fmt.Sprintf("%s %d", p.Kind, p.From)
	}
	return fmt.Sprintf("%ss %d-%d", p.Kind, p.From, p.To)
}

// Located is a range of a text that a format has made, in bytes, the end exclusive,
// and the part of the document that it is made of.
type Located struct {
	Start int `json:"start"`
	End   int `json:"end"`
	Part
}

// PartOf returns the part that a range of a text is made of, nil where all is in none
// of them. Of parts of one kind it goes from the first to the last that the range
// meets. all are in the order of their ranges.
func PartOf(all []Located, start, end int) *Part {
	var out *Part
	for i := range all {
		l := &all[i]
		if l.End <= start || l.Start >= end {
			continue
		}
		if out == nil {
			p := l.Part
			out = &p
			continue
		}
		if l.Kind == out.Kind {
			out.From, out.To = min(out.From, l.From), max(out.To, l.To)
		}
	}
	return out
}
