package grep

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxLiterals is of how many texts every match may hold one.
const maxLiterals = 8

// required returns texts of which every match of an expression is known to hold
// one, nil for none. It lets whole documents be passed over without looking at
// their lines.
func required(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		// A byte that is no UTF-8 matches the replacement character.
		if re.Flags&syntax.FoldCase != 0 || strings.ContainsRune(text, utf8.RuneError) {
			return nil
		}
		return []string{text}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if texts := required(sub); shortest(texts) > shortest(best) {
				best = texts
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			texts := required(sub)
			if shortest(texts) == 0 || len(all)+len(texts) > maxLiterals {
				return nil
			}
			all = append(all, texts...)
		}
		return all
	}
	return nil
}

// shortest is the length of the shortest of some texts, 0 for none.
func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}

// literals are texts of which each line that matches holds one; where there are
// none, nothing is known of the lines.
type literals [][]byte

// in reports whether a text holds one of them.
func (l literals) in(text []byte) bool {
	return slices.ContainsFunc(l, func(one []byte) bool { return bytes.Contains(text, one) })
}

// finder finds one literal after the other in a text, each place once.
type finder struct {
	literals
	next []int // of each literal the next place, -1 before it was looked for
}

// from returns the first place at or behind at where one of the literals stands;
// -1 for none. at only grows.
func (f *finder) from(text []byte, at int) int {
	if f.next == nil {
		f.next = slices.Repeat([]int{-1}, len(f.literals))
	}
	first := -1
	for i, one := range f.literals {
		if f.next[i] < at {
			f.next[i] = len(text)
			if n := bytes.Index(text[at:], one); n >= 0 {
				f.next[i] = at + n
			}
		}
		if n := f.next[i]; n < len(text) && (first < 0 || n < first) {
			first = n
		}
	}
	return first
}

// wantsBreak reports whether an expression names a line break, which no line has.
func wantsBreak(re *syntax.Regexp) bool {
	return re.Op == syntax.OpLiteral && slices.Contains(re.Rune, '\n') || slices.ContainsFunc(re.Sub, wantsBreak)
}
