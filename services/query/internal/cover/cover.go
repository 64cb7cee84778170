// Package cover finds the words of a query in passages, much quicker than an
// analyzer makes tokens: most of a text is looked at byte by byte, and only what
// resembles a word of the query is taken apart.
package cover

import "math/bits"

// Analyzer makes the words that are compared. It is that of the index.
type Analyzer interface {
	Words(text string) []string
}

// most is how many words of a query are told apart.
const most = 64

// Set says which words of a query something holds, a bit for each.
type Set uint64

// Count returns how many these are.
func (s Set) Count() int { return bits.OnesCount64(uint64(s)) }

// Has reports whether word i is held.
func (s Set) Has(i int) bool { return s>>i&1 == 1 }

// Words are the distinct words of a query, without those that only say how a
// question is asked. It belongs to one search and to one goroutine.
type Words struct {
	analyzer Analyzer
	weight   []float64
	whole    float64 // sum of weight
	at       map[string]int
	seen     map[string]Set // runs of letters and digits that were taken apart
	all      bool           // there is a word with nothing to go by: every run is taken apart
	three    [1 << 15 / 64]uint64
	two      [1 << 10 / 64]uint64
}

// New returns the words of a query. weight says how much one counts, never less
// than nothing.
func New(text string, analyzer Analyzer, weight func(word string) float64) *Words {
	w := &Words{analyzer: analyzer, at: map[string]int{}, seen: map[string]Set{}}
	for _, word := range analyzer.Words(text) {
		if _, known := w.at[word]; known || len(w.at) == most {
			continue
		}
		w.at[word] = len(w.weight)
		w.weight = append(w.weight, weight(word))
		w.whole += w.weight[len(w.weight)-1]
		w.watchFor(word)
	}
	return w
}

// watchFor notes how a run begins that may hold the word. A stem may differ
// from the word in its last letters; three at its begin, two of a short one,
// stand in both.
func (w *Words) watchFor(word string) {
	code := 0
	for i := range min(len(word), 3) {
		c := codeOf[word[i]]
		if c == 0 {
			return // a run that is not ASCII is always taken apart
		}
		code = code<<5 | int(c)
	}
	switch len(word) {
	case 1:
		w.all = true
	case 2:
		w.watchForTwo(code)
	case 3:
		// The third letter may be the y that a stem writes as i.
		w.watchForTwo(code >> 5)
		if irregular[word] {
			w.watchForTwo(code>>10<<5 | 'y' - 'a' + 1)
		}
	default:
		w.three[code/64] |= 1 << (code % 64)
	}
}

func (w *Words) watchForTwo(code int) { w.two[code/64] |= 1 << (code % 64) }

// watched reports whether the last three letters, or the last two, are how a word of
// the query begins.
func (w *Words) watched(code int) bool {
	return w.three[code/64]>>(code%64)&1 == 1 || w.two[code&1023/64]>>(code&1023%64)&1 == 1
}

// irregular are the stems of dying, lying and tying.
var irregular = map[string]bool{"die": true, "lie": true, "tie": true}

// codeOf maps the bytes of ASCII words to five bits, whatever their case; all
// digits are one. It is never written to after it is made.
var codeOf = func() (table [256]uint8) {
	for c := range 26 {
		table['a'+c], table['A'+c] = uint8(c+1), uint8(c+1)
	}
	for c := '0'; c <= '9'; c++ {
		table[c] = 27
	}
	return table
}()

// Len returns the number of words.
func (w *Words) Len() int { return len(w.weight) }

// Share returns what part of the query's weight a set has, 0 to 1.
func (w *Words) Share(s Set) float64 {
	if w.whole <= 0 {
		return 0
	}
	sum := 0.0
	for i, x := range w.weight {
		if s.Has(i) {
			sum += x
		}
	}
	return sum / w.whole
}

// In returns the words that a text holds.
func (w *Words) In(text []byte) Set {
	var held Set
	w.Each(text, func(s Set, _ int) { held |= s })
	return held
}

// Near reports whether a text may hold a word of the query, or one that begins
// with the same three letters. It says yes too often and never too seldom, and
// costs a fraction of taking the text apart.
func (w *Words) Near(text string) bool {
	if w.all {
		return true
	}
	code := 0
	for i := range len(text) {
		c := codeOf[text[i]]
		if c == 0 {
			if text[i] >= 0x80 {
				return true
			}
			code = 0
			continue
		}
		code = (code<<5 | int(c)) & (1<<15 - 1)
		if w.watched(code) {
			return true
		}
	}
	return false
}

// Each calls found for every run of letters and digits that holds words of the
// query, in order, with its offset.
func (w *Words) Each(text []byte, found func(s Set, at int)) {
	w.runs(text, func(run []byte, at int) {
		if s := w.of(run); s != 0 {
			found(s, at)
		}
	})
}

// runs calls near for every run of letters and digits that may hold a word of the
// query, in order, with its offset.
func (w *Words) runs(text []byte, near func(run []byte, at int)) {
	for i := 0; i < len(text); {
		if codeOf[text[i]] == 0 && text[i] < 0x80 {
			i++
			continue
		}
		start, code, may := i, 0, w.all
		for ; i < len(text); i++ {
			c := codeOf[text[i]]
			if c == 0 && text[i] < 0x80 && text[i] != '_' {
				break
			}
			if c == 0 {
				code, may = 0, may || text[i] >= 0x80
				continue
			}
			code = (code<<5 | int(c)) & (1<<15 - 1)
			may = may || w.watched(code)
		}
		if may {
			near(text[start:i], start)
		}
	}
}

// of returns the words that a run holds.
func (w *Words) of(run []byte) Set {
	if s, known := w.seen[string(run)]; known {
		return s
	}
	var s Set
	for _, word := range w.analyzer.Words(string(run)) {
		if i, ok := w.at[word]; ok {
			s |= 1 << i
		}
	}
	w.seen[string(run)] = s
	return s
}
