package postings

import (
	"cmp"
	"slices"
	"strings"
)

// tail inverts the tokens of rows that are not in a segment yet.
type tail struct {
	numbers     map[string]uint32
	terms       []string
	last        []uint32 // by term: where its latest occurrence stands, + 1
	occurrences []occurrence
	lengths     []uint32
	expected    *int // terms of the tail before, and then of this one
}

// occurrence is a term in a row, with its frequency.
type occurrence struct{ term, row, tf uint32 }

// newTail makes a tail of about as many terms as the one before had: batches
// tend to be alike, and a map that need not grow saves a fifth of the work.
func newTail(expected *int) *tail {
	return &tail{numbers: make(map[string]uint32, *expected), expected: expected}
}

// Add implements segment.Tail.
func (t *tail) Add(tokens []string) {
	row := uint32(len(t.lengths))
	t.lengths = append(t.lengths, uint32(len(tokens)))
	for _, token := range tokens {
		n, ok := t.numbers[token]
		if !ok {
			n = uint32(len(t.terms))
			token = strings.Clone(token) // it may be a piece of a large text
			t.numbers[token] = n
			t.terms = append(t.terms, token)
			t.last = append(t.last, 0)
		}
		if at := t.last[n]; at > 0 && t.occurrences[at-1].row == row {
			t.occurrences[at-1].tf++
			continue
		}
		t.occurrences = append(t.occurrences, occurrence{n, row, 1})
		t.last[n] = uint32(len(t.occurrences))
	}
}

// Size implements segment.Tail.
func (t *tail) Size() int { return 12*len(t.occurrences) + 64*len(t.terms) }

// Seal implements segment.Tail.
func (t *tail) Seal() [][]byte {
	*t.expected = len(t.terms)
	type numbered struct {
		key    uint64 // keyOf the term, which mostly decides
		number uint32
	}
	order := make([]numbered, len(t.terms))
	var term []byte
	for i := range order {
		term = append(term[:0], t.terms[i]...)
		order[i] = numbered{keyOf(term), uint32(i)}
	}
	slices.SortFunc(order, func(a, b numbered) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return strings.Compare(t.terms[a.number], t.terms[b.number])
	})
	// Occurrences stand by row; a counting sort brings them by term, and by
	// row within it.
	ends := make([]uint32, len(t.terms)+1)
	for _, o := range t.occurrences {
		ends[o.term+1]++
	}
	for i := range t.terms {
		ends[i+1] += ends[i]
	}
	sorted := make([]occurrence, len(t.occurrences))
	for _, o := range t.occurrences {
		sorted[ends[o.term]] = o
		ends[o.term]++ // in the end, where the term's occurrences end
	}
	w := invertedWriter{lists: make([]byte, 0, 2*len(sorted))}
	for _, o := range order {
		n, begin := o.number, uint32(0)
		if n > 0 {
			begin = ends[n-1]
		}
		term = append(term[:0], t.terms[n]...)
		w.begin(term)
		for _, o := range sorted[begin:ends[n]] {
			w.add(o.row, o.tf)
		}
		w.end()
	}
	return w.sections(t.lengths)
}
