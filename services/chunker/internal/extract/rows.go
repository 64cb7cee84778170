package extract

import "github.com/freshet-dev/freshet/pkg/document"

// rowsTogether is the size in bytes up to which rows of a table are one passage: as long
// as one of prose is by default.
const rowsTogether = 1000

// Rows groups the rows of a table into sections, each with the header above it.
type Rows struct {
	Header string // "" for a table without one
	// Headings are those of the table.
	Headings []string
	out      []Section
}

// Add adds the row that stands at a range of text; number is how those who open the
// document count it. Rows without anything to read belong to the group before them.
func (g *Rows) Add(text []byte, start, end, number int) {
	if blank(text[start:end]) {
		return
	}
	if n := len(g.out); n > 0 {
		if last := &g.out[n-1]; end-last.Start <= rowsTogether {
			last.End, last.Part.To = end, number
			return
		}
	}
	s := Section{
		Start: start, End: end, Language: "text", Headings: g.Headings, Whole: true, Above: g.Header,
		Part: document.Part{Kind: document.PartRow, From: number, To: number},
	}
	if len(g.out) == 0 {
		s.Above = "" // it has the header itself
	}
	g.out = append(g.out, s)
}

// Sections are the groups.
func (g *Rows) Sections() []Section { return g.out }

func blank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\n' {
			return false
		}
	}
	return true
}
