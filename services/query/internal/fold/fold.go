// Package fold tells which passages say the same as one before them: those with
// the same text, and those that differ in a few words.
package fold

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// run is how many tokens make a shingle (Broder 1997): one other token in a
	// text makes as many shingles others.
	run = 4
	// alike is the share of the shingles of two texts that both have, from which
	// on they say the same: one other token in fifty.
	alike = .85
	// sketched is by how many of its smallest shingles a text is looked up. Two
	// texts that are alike lack all of them in common once in two thousand pairs.
	sketched = 4
	// compared is with how many kept texts one is compared at most. Records of one
	// table have their shingles in common by the thousand and say different things.
	compared = 64
)

// Texts are those that were kept, by number from 0. They belong to one search and
// to one goroutine.
type Texts struct {
	same     map[document.Hash][]int
	sketch   map[uint64][]int
	shingles [][]uint64
}

// Match is a kept text that is like another one.
type Match struct {
	Of   int
	Same bool // byte for byte
}

// Prepared is a text that is ready to be compared.
type Prepared struct {
	hash     document.Hash
	shingles []uint64
}

// Prepare takes a text apart.
func Prepare(text []byte) Prepared { return Prepared{document.HashOf(text), shinglesOf(text)} }

// Like returns the kept texts that say the same as another one: those that are it
// first, and of both the first kept first.
func (t *Texts) Like(p *Prepared) []Match {
	var out []Match
	for _, of := range t.same[p.hash] {
		out = append(out, Match{of, true})
	}
	for _, of := range t.near(p) {
		if !slices.Contains(t.same[p.hash], of) && likeness(t.shingles[of], p.shingles) >= alike {
			out = append(out, Match{of, false})
		}
	}
	return out
}

// near returns the kept texts with which one is compared, the first kept first. A
// shingle that few texts have tells most, so those of the rarest are taken first.
func (t *Texts) near(p *Prepared) []int {
	var lists [sketched][]int
	n := min(len(p.shingles), sketched)
	for i, s := range p.shingles[:n] {
		lists[i] = t.sketch[s]
	}
	slices.SortStableFunc(lists[:n], func(a, b []int) int { return len(a) - len(b) })
	var near []int
	for _, list := range lists[:n] {
		near = append(near, list[:min(len(list), compared)]...)
		slices.Sort(near)
		if near = slices.Compact(near); len(near) >= compared {
			break
		}
	}
	return near
}

// Keep keeps a text, whose number is how many were kept before.
func (t *Texts) Keep(p *Prepared) {
	if t.same == nil {
		t.same, t.sketch = map[document.Hash][]int{}, map[uint64][]int{}
	}
	n := len(t.shingles)
	t.shingles = append(t.shingles, p.shingles)
	t.same[p.hash] = append(t.same[p.hash], n)
	for _, s := range p.shingles[:min(len(p.shingles), sketched)] {
		t.sketch[s] = append(t.sketch[s], n)
	}
}

// FNV-1a, so that every process finds the same texts alike.
const (
	basis = 14695981039346656037
	prime = 1099511628211
)

// shinglesOf returns the distinct shingles of a text as sorted hashes; none of one
// that has not enough tokens. A token is a word, or another character: space counts
// for nothing.
func shinglesOf(text []byte) []uint64 {
	tokens := make([]uint64, 0, len(text)/4)
	word := uint64(0)
	flush := func() {
		if word != 0 {
			tokens = append(tokens, word)
		}
		word = 0
	}
	for _, c := range text {
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			flush()
			continue
		case c >= 0x80 && c < 0xC0: // goes on with a character
		case !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'):
			flush()
			word = (basis ^ uint64(c)) * prime
			if c < 0x80 {
				flush()
			}
			continue
		}
		if word == 0 {
			word = basis
		}
		word = (word ^ uint64(c)) * prime
	}
	flush()
	if len(tokens) < run {
		return nil
	}
	out := make([]uint64, 0, len(tokens))
	for i := range len(tokens) - run + 1 {
		h := uint64(basis)
		for _, token := range tokens[i : i+run] {
			h = (h ^ token) * prime
			h ^= h >> 29
		}
		out = append(out, h)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// likeness is the share of what two sets have that both have (Jaccard).
func likeness(a, b []uint64) float64 {
	if len(a) == 0 || len(b) == 0 || float64(min(len(a), len(b))) < alike*float64(max(len(a), len(b))) {
		return 0
	}
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
