package excerpt

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
)

// Marks are what passages are looked at for: the words of a question, and the
// names in it. They belong to one search and to one goroutine.
type Marks struct {
	words *cover.Words
	names map[string]bool // last parts of its identifiers, in lower case
	whole map[string]bool // its identifiers with what qualifies them, in lower case
	exact map[string]bool // last parts as they were typed
	bare  bool            // one of them has no word, such as errors.Is
}

// NewMarks returns the marks of a question: words are those of all of its
// wordings, identifiers the names in them (see analysis.Identifiers).
func NewMarks(words *cover.Words, identifiers []string, analyzer cover.Analyzer) *Marks {
	m := &Marks{words: words, names: map[string]bool{}, whole: map[string]bool{}, exact: map[string]bool{}}
	for _, id := range identifiers {
		name := rank.LastPart(id)
		m.names[strings.ToLower(name)], m.whole[strings.ToLower(id)], m.exact[name] = true, true, true
		m.bare = m.bare || len(analyzer.Words(name)) == 0
	}
	return m
}

// Names reports whether the question has a name, letter case aside.
func (m *Marks) Names(name string) bool { return m.names[strings.ToLower(name)] }

// Asks returns how surely the question asks for a name, from 0 to 1: os.ReadFile
// means first that, then a ReadFile of no type, then that of any type, and of
// those that stand alike the one whose letters have the same case.
func (m *Marks) Asks(name string) float64 {
	last := rank.LastPart(name)
	sure := 0.25
	switch {
	case !m.Names(last):
		return 0
	case m.whole[strings.ToLower(name)]:
		sure = .75
	case last == name:
		sure = .5
	}
	if m.exact[last] {
		sure += .125
	}
	return sure
}

// Rating says what of a question a line holds.
type Rating struct {
	held  cover.Set
	named bool // a whole name, and not a part of another one
}

// Rate rates each line of a passage.
func (m *Marks) Rate(lines [][]byte) []Rating {
	out := make([]Rating, len(lines))
	for i, line := range lines {
		r := &out[i]
		r.held = m.words.In(line)
		if len(m.names) > 0 && (r.held != 0 || m.bare) {
			eachRun(line, func(from, to int) { r.named = r.named || m.Names(string(line[from:to])) })
		}
	}
	return out
}

// Weight is what a rating comes to: the share of the question's weight in the
// words of the line, and one more for a whole name.
func (m *Marks) Weight(r Rating) float64 {
	if r.named {
		return 1 + m.words.Share(r.held)
	}
	return m.words.Share(r.held)
}

// mostMatches bounds the matches of a passage that is shown as a whole.
const mostMatches = 100

// Find returns the ranges of a text, which is valid UTF-8, that match: whole
// names, and of other names and words the part that matches.
func (m *Marks) Find(text string) (out []contract.Match) {
	add := func(from, to int) {
		if n := len(out); n > 0 && out[n-1].End >= from {
			out[n-1].End = to // read and File in ReadFile
		} else if n < mostMatches {
			out = append(out, contract.Match{Start: from, End: to})
		}
	}
	eachRun([]byte(text), func(from, to int) {
		for _, part := range m.partsOf(text[from:to]) {
			add(from+part[0], from+part[1])
		}
	})
	return out
}

// partsOf returns the parts of a word or name that match: all of it where it is a
// name of the question, and where nothing but single letters does not match.
func (m *Marks) partsOf(name string) (matching [][2]int) {
	whole := [][2]int{{0, len(name)}}
	if m.Names(name) {
		return whole
	}
	other := false
	for _, p := range analysis.Parts(name) {
		switch {
		case m.holds(name[p[0]:p[1]]):
			matching = append(matching, p)
		case p[1]-p[0] > 1:
			other = true
		}
	}
	if len(matching) > 0 && !other || len(matching) == 0 && m.holds(name) {
		return whole
	}
	return matching
}

func (m *Marks) holds(text string) bool { return m.words.In([]byte(text)) != 0 }

// eachRun calls do for every run of letters, digits and underscores.
func eachRun(text []byte, do func(from, to int)) {
	for i := 0; i < len(text); {
		if to := endOfRun(text, i); to > i {
			do(i, to)
			i = to
			continue
		}
		_, n := utf8.DecodeRune(text[i:])
		i += n
	}
}

// endOfRun returns where a run that begins at an offset ends.
func endOfRun(text []byte, at int) int {
	n := bytes.IndexFunc(text[at:], func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	if n < 0 {
		return len(text)
	}
	return at + n
}
