package grep

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// required returns the longest text that every match of an expression is known to
// hold, "" for none. It lets whole documents be passed over without looking at
// their lines.
func required(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		// A byte that is no UTF-8 matches the replacement character.
		if re.Flags&syntax.FoldCase != 0 || strings.ContainsRune(text, utf8.RuneError) {
			return ""
		}
		return text
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		longest := ""
		for _, sub := range re.Sub {
			if text := required(sub); len(text) > len(longest) {
				longest = text
			}
		}
		return longest
	}
	return ""
}

// wantsBreak reports whether an expression names a line break, which no line has.
func wantsBreak(re *syntax.Regexp) bool {
	return re.Op == syntax.OpLiteral && slices.Contains(re.Rune, '\n') || slices.ContainsFunc(re.Sub, wantsBreak)
}
