package pack

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Passage is what is packed, as the log has it.
type Passage struct {
	Path      string // how it is cited
	Name      string // its symbol or headings, "" for none
	Language  string
	StartLine int
	EndLine   int
	Score     float64
	Relevance float64 // 0 to 1
	Text      []byte  // not changed
	// Above is the signature of what the passage is an inner part of, "" for none.
	Above string
	// Wider are the passage with more around it, each with all of the one before. They
	// are taken only where there is room.
	Wider []Wide
}

// Wide is a passage with what stands around it.
type Wide struct {
	Text      []byte
	StartLine int
	EndLine   int
	Column    int // bytes of the first line before it; for the caller
}

// Options say how to pack.
type Options struct {
	Format Format
	Budget int              // tokens that the text may have
	Count  func(string) int // tokens of a text; called often, by one goroutine
	Around bool             // parents and neighbours, where there is room
}

// Packed is the outcome. Parts are those that are in the text, best first: always the
// first of what was given.
type Packed struct {
	Text   string
	Tokens int
	Parts  []Part
	// Order is that of the parts in the text: their places in Parts.
	Order []int
}

// Part is what the text has of one passage.
type Part struct {
	Citation  string
	StartLine int
	EndLine   int
	Text      string // what is shown of it
	Cut       bool   // its middle or its end is left out
	Wider     bool   // more than the passage is there
	Around    *Wide  // that, nil for none
	Tokens    int
}

// wholeMost is the length in bytes above which a passage is compacted before anything
// is counted: chunks are shorter, so it is one that nothing could cut.
const wholeMost = 16 << 10

// Pack packs passages that stand best first. The text never has more tokens than the
// budget. Where they have more, the longest of the passages are compacted, the worst
// first; where that is not enough, the worst are left out, and the best alone is cut to
// what fits.
func Pack(all []Passage, o Options) Packed {
	j := &job{Options: o, items: make([]*item, len(all))}
	for i := range all {
		j.items[i] = &item{Passage: &all[i], n: i + 1, most: math.MaxInt, compact: len(all[i].Text) > wholeMost}
	}
	whole := true
	for !j.fits() {
		whole = false
		if !j.tighten() {
			return Packed{}
		}
	}
	if whole && o.Around {
		j.widen()
	}
	return j.packed()
}

// job is one packing.
type job struct {
	Options
	items []*item
	frame int // tokens of what stands around the pieces, 0: not counted yet
}

// item is a passage with how much of it is shown.
type item struct {
	*Passage
	n       int
	level   int  // 0: the passage; else Wider[level-1]
	above   bool // with the line above it
	compact bool
	most    int // bytes of its text

	piece  string // "": to be written
	tokens int
}

// piece returns what stands in the text of an item, and its tokens.
func (j *job) piece(it *item) (string, int) {
	if it.piece == "" {
		s := it.shown()
		it.piece = j.Format.piece(it.n, it.citation(), it, s)
		it.tokens = j.Count(it.piece)
	}
	return it.piece, it.tokens
}

// slack is how much the sum of the pieces' tokens may be off what the text has: a
// token or two at each seam.
const slack = 2

// estimate is the sum of the pieces' tokens.
func (j *job) estimate() int {
	if j.frame == 0 {
		j.frame = j.Count(j.Format.join(nil))
	}
	sum := j.frame
	for _, it := range j.items {
		_, n := j.piece(it)
		sum += n + 1
	}
	return sum
}

// text is the whole, the best passages at both ends.
func (j *job) text() string {
	pieces := make([]string, 0, len(j.items))
	for _, i := range EdgesFirst(len(j.items)) {
		piece, _ := j.piece(j.items[i])
		pieces = append(pieces, piece)
	}
	return j.Format.join(pieces)
}

// fits reports whether the text is within the budget, exactly.
func (j *job) fits() bool {
	if len(j.items) == 0 {
		return true
	}
	if j.estimate()-(1+slack)*(len(j.items)+1) > j.Budget {
		return false
	}
	return j.Count(j.text()) <= j.Budget
}

// tighten takes the next step towards the budget; false where nothing is left.
func (j *job) tighten() bool {
	for _, it := range slices.Backward(j.items) {
		if !it.compact && it.long() {
			it.compact, it.piece = true, ""
			return true
		}
	}
	if last := len(j.items) - 1; last > 0 {
		j.items = j.items[:last]
		return true
	}
	best := j.items[0]
	if best.most == 0 {
		return false
	}
	// The most bytes of the best passage that are within the budget.
	least := len(best.shown().text())
	best.most = sort.Search(least, func(cut int) bool {
		best.most, best.piece = least-cut, ""
		return j.fits()
	})
	best.most, best.piece = least-best.most, ""
	return best.most > 0 || j.fits()
}

// widen adds what stands around the passages, the best first, while it is within the
// budget.
func (j *job) widen() {
	var done []func()
	try := func(it *item, change, back func()) bool {
		change()
		it.piece = ""
		if j.estimate() > j.Budget {
			back()
			it.piece = ""
			return false
		}
		done = append(done, func() { back(); it.piece = "" })
		return true
	}
	for _, it := range j.items {
		if it.compact {
			continue
		}
		if it.Above != "" {
			try(it, func() { it.above = true }, func() { it.above = false })
		}
		for level := range it.Wider {
			if !try(it, func() { it.level = level + 1 }, func() { it.level = level }) {
				break
			}
		}
	}
	for !j.fits() && len(done) > 0 {
		done[len(done)-1]()
		done = done[:len(done)-1]
	}
}

func (j *job) packed() Packed {
	if len(j.items) == 0 {
		return Packed{}
	}
	out := Packed{Text: j.text(), Order: EdgesFirst(len(j.items)), Parts: make([]Part, len(j.items))}
	out.Tokens = j.Count(out.Text)
	for i, it := range j.items {
		s := it.shown()
		_, tokens := j.piece(it)
		out.Parts[i] = Part{Citation: it.citation(), StartLine: s.start, EndLine: s.end, Text: s.text(), Cut: s.cut, Tokens: tokens}
		if it.level > 0 {
			out.Parts[i].Wider, out.Parts[i].Around = true, &it.Wider[it.level-1]
		}
	}
	return out
}

// EdgesFirst is the order in which n passages stand, best first, so that the best are
// at both ends, where models read best: 0 2 4 5 3 1 of six.
func EdgesFirst(n int) []int {
	out := make([]int, 0, n)
	for i := 0; i < n; i += 2 {
		out = append(out, i)
	}
	for i := (n - n%2) - 1; i > 0; i -= 2 {
		out = append(out, i)
	}
	return out
}

// citation says where a passage stands.
func (it *item) citation() string {
	start, end := it.StartLine, it.EndLine
	if it.level > 0 {
		w := it.Wider[it.level-1]
		start, end = cmp.Or(w.StartLine, start), cmp.Or(w.EndLine, end)
	}
	return Cite(it.Path, it.Name, start, end, it.Score)
}
