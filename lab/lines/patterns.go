package lines

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

// Pattern is one question.
type Pattern struct {
	Kind  string
	Text  string
	Fixed bool // it is a text, no expression
}

// kinds are what is drawn, in equal parts.
var kinds = []struct {
	name string
	draw func(*sample) Pattern
}{
	{"rare name", func(s *sample) Pattern { return Pattern{Text: pick(s, s.rare), Fixed: true} }},
	{"literal", func(s *sample) Pattern { return Pattern{Text: s.fragment(), Fixed: true} }},
	{"class", (*sample).class},
	{"alternation", (*sample).alternation},
	{"anchor", (*sample).anchor},
}

// sample is what patterns are drawn from.
type sample struct {
	rng   *rand.Rand
	texts []string
	names []string // that stand in the texts
	rare  []string // those in at most rareIn of them
}

// rareIn is in how many documents a rare name stands at most.
const rareIn = 3

// drawn are the characters of what is drawn: ASCII, so that with and without
// Unicode an expression means the same.
var (
	nameLike  = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]{5,30}`)
	drawnLine = regexp.MustCompile(`^[\t\x20-\x7e]{8,200}$`)
)

// newSample reads the names of texts.
func newSample(texts []string, seed uint64) *sample {
	s := &sample{rng: rand.New(rand.NewPCG(seed, 1)), texts: texts} //nolint:gosec // a draw that can be made again
	in := map[string]int{}
	var order []string
	for _, text := range texts {
		seen := map[string]bool{}
		for _, name := range nameLike.FindAllString(text, -1) {
			if seen[name] {
				continue
			}
			seen[name] = true
			if in[name]++; in[name] == 1 {
				order = append(order, name)
			}
		}
	}
	for _, name := range order {
		s.names = append(s.names, name)
		if in[name] <= rareIn {
			s.rare = append(s.rare, name)
		}
	}
	return s
}

// draw returns n patterns, of each kind as many.
func (s *sample) draw(n int) (out []Pattern) {
	for i, k := range kinds {
		for range (n + len(kinds) - 1 - i) / len(kinds) {
			p := k.draw(s)
			p.Kind = k.name
			out = append(out, p)
		}
	}
	return out
}

func pick(s *sample, from []string) string { return from[s.rng.IntN(len(from))] }

// line is a line of a text that is long enough, without what stands around it.
func (s *sample) line() string {
	for {
		lines := strings.Split(pick(s, s.texts), "\n")
		if line := pick(s, lines); drawnLine.MatchString(line) && len(strings.TrimSpace(line)) >= 6 {
			return line
		}
	}
}

// fragment is a part of a line.
func (s *sample) fragment() string {
	line := strings.TrimSpace(s.line())
	n := min(6+s.rng.IntN(20), len(line))
	at := s.rng.IntN(len(line) - n + 1)
	return line[at : at+n]
}

// class is a name in which one character may be another.
func (s *sample) class() Pattern {
	name := pick(s, s.names)
	at := s.rng.IntN(len(name))
	class := []string{"[a-z]", "[A-Za-z_]", `\w`, "[^ ]", "[" + name[at:at+1] + "xyz]", `\w+`}[s.rng.IntN(6)]
	return Pattern{Text: name[:at] + class + name[at+1:]}
}

func (s *sample) alternation() Pattern {
	a, b, c := pick(s, s.names), pick(s, s.names), pick(s, s.names)
	switch s.rng.IntN(3) {
	case 0:
		return Pattern{Text: a + "|" + b + "|" + c}
	case 1:
		return Pattern{Text: "(" + a + "|" + b + `)[.(\[ ]`}
	}
	return Pattern{Text: `\b(?:` + a[:4] + "|" + b[:4] + ")" + a[4:]}
}

func (s *sample) anchor() Pattern {
	line := s.line()
	n := min(len(line), 8+s.rng.IntN(20))
	switch s.rng.IntN(3) {
	case 0:
		return Pattern{Text: "^" + regexp.QuoteMeta(line[:n])}
	case 1:
		return Pattern{Text: regexp.QuoteMeta(line[len(line)-n:]) + "$"}
	}
	return Pattern{Text: `^\s*` + regexp.QuoteMeta(strings.TrimSpace(line)[:5]) + ".*" + regexp.QuoteMeta(line[len(line)-3:]) + "$"}
}
