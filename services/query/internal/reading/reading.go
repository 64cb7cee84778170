package reading

import (
	"strings"
	"unicode"
)

// Reading is how a question was read.
type Reading struct {
	// Typed is the question without its filters, and Text what of it is searched
	// by words and by meaning: the same where it has no operators.
	Typed, Text string
	// Must has a clause for each text, group of alternatives and name that a
	// passage must hold.
	Must []Clause
	// Without are what no passage may hold.
	Without []Atom
	// Filters narrow the search to what has one of the values, and Left to what
	// has none of them.
	Filters, Left []Filter
	// Refs are names whose uses are asked for.
	Refs []string
}

// Clause is a list of alternatives, of which a passage must hold one.
type Clause []Atom

// In reports whether a text holds one of them.
func (c Clause) In(text []byte) bool {
	for i := range c {
		if c[i].In(text) {
			return true
		}
	}
	return false
}

// String is the clause as it can be typed.
func (c Clause) String() string {
	all := make([]string, len(c))
	for i := range c {
		all[i] = c[i].String()
	}
	if len(all) == 1 {
		return all[0]
	}
	return "(" + strings.Join(all, " OR ") + ")"
}

// Holds reports whether a text has all that it must have and nothing that it may not.
func (r *Reading) Holds(text []byte) bool {
	for _, c := range r.Must {
		if !c.In(text) {
			return false
		}
	}
	for i := range r.Without {
		if r.Without[i].In(text) {
			return false
		}
	}
	return true
}

// Narrows reports whether Holds may be false.
func (r *Reading) Narrows() bool { return len(r.Must)+len(r.Without) > 0 }

// Read reads a question. Words are separated by white space; what is no operator
// stays text, with the white space that stood before it.
//
// A pasted line must stay what it is. So where the question breaks lines, is
// longer than anybody types, or is a sentence, nothing but filters is read; where
// it looks like code or a command (see looksTyped), nothing but filters and text
// in quotes, which the line itself holds.
func Read(question string) *Reading {
	s := scan{rest: question, out: &Reading{}}
	outside := strings.TrimSpace(unquoted(question))
	s.quotes = len(question) <= longest && !strings.Contains(outside, "\n") && (looksTyped(question) || len(strings.Fields(outside)) <= mostWords)
	s.words = s.quotes && !looksTyped(question)
	return s.read()
}

// Paste reads a question that was printed by a program: nothing but filters.
func Paste(question string) *Reading {
	s := scan{rest: question, out: &Reading{}}
	return s.read()
}

func (s *scan) read() *Reading {
	for s.next() {
	}
	r := s.out
	r.Typed, r.Text = s.typed.String(), s.text.String()
	if len(r.Must)+len(r.Without)+len(r.Refs) == 0 {
		r.Text = r.Typed
	}
	return r
}

// longest is how long a question with operators may be, in bytes, and mostWords
// how many words may stand outside of its quotes: in a longer sentence quotation
// marks and dashes are those of a writer, who knows of no operators.
const (
	longest   = 4096
	mostWords = 8
)

// scan is a question being read.
type scan struct {
	rest          string
	quotes, words bool // which operators are looked for
	typed, text   strings.Builder
	last          *Atom // the word before, where it can be the first of alternatives
	out           *Reading
}

// next reads one word, or what stands together as one. It is false at the end.
func (s *scan) next() bool {
	start := strings.IndexFunc(s.rest, func(r rune) bool { return !unicode.IsSpace(r) })
	if start < 0 {
		return false
	}
	space := s.rest[:start]
	s.rest = s.rest[start:]
	if n := s.filter(); n > 0 {
		s.rest, s.last = s.rest[n:], nil
		return true
	}
	n := s.operator(space)
	if n == 0 {
		n = wordEnd(s.rest)
		add(&s.text, space, s.rest[:n])
		s.last = nil
		if s.words {
			s.follows(s.rest[:n])
		}
	}
	add(&s.typed, space, s.rest[:n])
	s.rest = s.rest[n:]
	return true
}

// follows notes the word before what comes, where it can be an alternative to it.
func (s *scan) follows(text string) {
	if a, ok := word(text); ok {
		s.last = &a
	}
}

// filter reads a filter, or one of what is to be left out; n is its length.
func (s *scan) filter() (n int) {
	before := 0
	if strings.HasPrefix(s.rest, "-") {
		before = 1
	} else if after, ok := strings.CutPrefix(s.rest, "NOT"); ok {
		before = len(s.rest) - len(strings.TrimLeftFunc(after, unicode.IsSpace))
		if before == len("NOT") {
			before = 0
		}
	}
	f, n := filterAt(s.rest[before:])
	switch {
	case n == 0:
		return 0
	case f.Name == refs && before == 0:
		s.refs(f.Value)
	case f.Name == refs:
		return 0
	case before > 0:
		s.out.Left = append(s.out.Left, f)
	default:
		s.out.Filters = append(s.out.Filters, f)
	}
	return before + n
}

// refs asks for the uses of a name.
func (s *scan) refs(name string) {
	s.out.Refs = append(s.out.Refs, name)
	s.out.Must = append(s.out.Must, Clause{{Text: lastPart(name), Is: Name}})
	add(&s.text, " ", name)
}

// operator reads one; n is its length.
func (s *scan) operator(space string) (n int) {
	if !s.quotes {
		return 0
	}
	if c, n := s.clause(s.rest); n > 0 {
		s.must(space, c)
		return n
	}
	if !s.words {
		return 0
	}
	if c, n := s.left(); n > 0 {
		s.out.Without = append(s.out.Without, c...)
		s.last = nil
		return n
	}
	return s.or(space)
}

// must adds a clause, with its words to what is searched.
func (s *scan) must(space string, c Clause) {
	s.out.Must = append(s.out.Must, c)
	for i := range c {
		add(&s.text, space, c[i].Text)
		space = " "
	}
	s.last = nil
	if len(c) == 1 {
		s.last = &c[0]
	}
}

// clause reads text in quotes, or alternatives.
func (s *scan) clause(from string) (c Clause, n int) {
	if s.words {
		if c, n := group(from); n > 0 {
			return c, n
		}
		if c, n := alternatives(from, "", false); n > 0 && len(c) > 1 {
			return c, n
		}
	}
	if a, n := quoted(from); n > 0 && ends(from[n:], sentenceMarks) {
		return Clause{a}, n
	}
	return nil, 0
}

// left reads what is to be left out: -word, -"text", -(a OR b), NOT word.
func (s *scan) left() (c Clause, n int) {
	after, dash := strings.CutPrefix(s.rest, "-")
	if !dash {
		var not bool
		if after, not = strings.CutPrefix(s.rest, "NOT"); !not {
			return nil, 0
		}
		trimmed := strings.TrimLeftFunc(after, unicode.IsSpace)
		if trimmed == after {
			return nil, 0
		}
		after = trimmed
	}
	before := len(s.rest) - len(after)
	if c, n := s.clause(after); n > 0 {
		return c, before + n
	}
	n = wordEnd(after)
	if a, ok := word(after[:n]); ok && isLeftOut(a.Text) {
		return Clause{a}, before + n
	}
	return nil, 0
}

// or reads OR and the alternative behind it, and adds that to the clause or the
// word before.
func (s *scan) or(space string) (n int) {
	after, ok := strings.CutPrefix(s.rest, "OR")
	trimmed := strings.TrimLeftFunc(after, unicode.IsSpace)
	if !ok || trimmed == after || s.last == nil {
		return 0
	}
	a, n := quoted(trimmed)
	if n == 0 || !ends(trimmed[n:], sentenceMarks) {
		n = wordEnd(trimmed)
		if a, ok = word(trimmed[:n]); !ok {
			return 0
		}
	}
	if !hasLower(s.last.Text) && !hasLower(a.Text) {
		return 0 // shouted, as SQL is
	}
	switch k := len(s.out.Must) - 1; {
	case k >= 0 && &s.out.Must[k][len(s.out.Must[k])-1] == s.last:
		s.out.Must[k] = append(s.out.Must[k], a)
	default:
		s.out.Must = append(s.out.Must, Clause{*s.last, a})
	}
	k := len(s.out.Must) - 1
	s.last = &s.out.Must[k][len(s.out.Must[k])-1]
	add(&s.text, space, a.Text)
	return len(s.rest) - len(trimmed) + n
}

// add appends a word; the first has nothing before it.
func add(b *strings.Builder, space, word string) {
	if b.Len() > 0 {
		b.WriteString(space)
	}
	b.WriteString(word)
}
