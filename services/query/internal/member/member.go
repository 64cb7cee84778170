// Package member finds where in a passage the names that it defines stand: a
// passage of small neighbours lists their names, and not their places.
package member

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
)

// Place is where a name is defined.
type Place struct {
	Name string
	Line int // of the passage, from 0
	at   int // offset in that line
}

// Places returns the names whose definition is found among the lines of a
// passage, in the order of the lines. A definition is the least indented line
// that has the last part of the name at its head: in no comment, within no
// parentheses, behind no sign of assignment and in no body of a function; of
// several the one that names its container, too.
func Places(lines [][]byte, names []string, lang string) []Place {
	comment := language.Get(lang).LineComment
	var found []Place
	for _, name := range names {
		last := rank.LastPart(name)
		if last == "" || strings.ContainsFunc(last, func(r rune) bool { return !inWord(r) }) {
			continue
		}
		container := rank.LastPart(strings.TrimRight(strings.TrimSuffix(name, last), ".:>#/-"))
		best, least := Place{Line: -1}, standing{}
		for i, line := range lines {
			at := atHead(line, last, comment)
			if at < 0 || slices.ContainsFunc(found, func(p Place) bool { return p.Line == i && p.at == at }) {
				continue
			}
			s := standing{foreign: container != "" && !hasWord(line, container), indent: indent(line)}
			if best.Line < 0 || s.compare(least) < 0 {
				best, least = Place{name, i, at}, s
			}
		}
		if best.Line >= 0 {
			found = append(found, best)
		}
	}
	slices.SortFunc(found, func(a, b Place) int { return cmp.Or(a.Line-b.Line, a.at-b.at) })
	return found
}

// standing is how little a line looks like a definition.
type standing struct {
	foreign bool // without the name of the container
	indent  int
}

func (s standing) compare(o standing) int {
	if s.foreign != o.foreign {
		if s.foreign {
			return 1
		}
		return -1
	}
	return s.indent - o.indent
}

// Of returns the index of the place that a line belongs to: the last definition
// above it, but where it stands right above the next one as its comment does.
// It returns -1 for what stands above all of them.
func Of(places []Place, lines [][]byte, line int) int {
	next := slices.IndexFunc(places, func(p Place) bool { return p.Line > line })
	above := next - 1
	if next < 0 {
		above = len(places) - 1
	}
	if above >= 0 && places[above].Line == line {
		// Of several names in one line, the first.
		return slices.IndexFunc(places, func(p Place) bool { return p.Line == line })
	}
	if next >= 0 && leads(lines[line:places[next].Line+1]) {
		return next
	}
	return above
}

// leads reports whether lines lead to the last of them as what stands above a
// definition does: without a gap, no deeper and no shallower, and closing nothing.
func leads(lines [][]byte) bool {
	depth := indent(lines[len(lines)-1])
	for _, line := range lines {
		rest := bytes.TrimSpace(line)
		if len(rest) == 0 || indent(line) != depth || bytes.IndexByte([]byte("})]"), rest[0]) >= 0 || bytes.Equal(rest, []byte("end")) {
			return false
		}
	}
	return true
}

// atHead returns the offset of a name that a line may define, -1 without.
func atHead(line []byte, name, comment string) int {
	if !bytes.Contains(line, []byte(name)) {
		return -1
	}
	rest := bytes.TrimSpace(line)
	if bytes.HasPrefix(rest, []byte(comment)) || bytes.HasPrefix(rest, []byte("*")) || bytes.HasPrefix(rest, []byte("/*")) {
		return -1
	}
	depth, called := 0, false
	for i, c := range line {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
			called = true
		case c == '=' || c == '{' && called:
			return -1
		case depth == 0 && startsWord(line, name, i):
			return i
		}
	}
	return -1
}

// hasWord reports whether a whole word stands in a line.
func hasWord(line []byte, word string) bool {
	for i := range line {
		if startsWord(line, word, i) {
			return true
		}
	}
	return false
}

// startsWord reports whether a word stands at an offset, as a whole one.
func startsWord(line []byte, word string, i int) bool {
	if !bytes.HasPrefix(line[i:], []byte(word)) {
		return false
	}
	before, _ := utf8.DecodeLastRune(line[:i])
	after, _ := utf8.DecodeRune(line[i+len(word):])
	return !inWord(before) && !inWord(after)
}

func inWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func indent(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }
