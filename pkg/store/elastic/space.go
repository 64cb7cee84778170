package elastic

import "unicode"

// splits reports whether the whitespace analyzer ends a token at r, that is
// whether r is white space to Java: the Unicode separators but for those that
// do not break a line, and a few control characters.
func splits(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r >= 0x1c && r <= 0x1f:
		return true
	case r == 0xa0, r == 0x2007, r == 0x202f:
		return false
	}
	return unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp)
}
