package reading

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Ways in which a text is held.
const (
	// Verbatim is as it was typed, white space and case included, wherever it
	// stands.
	Verbatim = iota
	// Word is in any case, as a word or as a part of a name, such as parse in
	// parseHeader and parse_header.
	Word
	// Name is as an identifier that is not a part of another one.
	Name
)

// Atom is something that a passage must hold, or must not.
type Atom struct {
	Text    string // never empty
	Is      int    // Verbatim, Word or Name
	AnyCase bool   // of what is Verbatim
}

// String is the atom as it can be typed.
func (a Atom) String() string {
	switch {
	case a.Is == Name:
		return refs + ":" + a.Text
	case a.Is == Word:
		return a.Text
	case a.AnyCase:
		return `"` + a.Text + `"i`
	}
	return `"` + a.Text + `"`
}

// In reports whether a text holds it.
func (a *Atom) In(text []byte) bool {
	_, _, ok := a.Find(text)
	return ok
}

// Find returns the first range of a text that holds it.
func (a *Atom) Find(text []byte) (start, end int, ok bool) {
	switch {
	case a.Is == Verbatim && !a.AnyCase:
		return a.verbatim(text)
	case a.Is == Name:
		return bordered(text, []byte(a.Text), identifier)
	case a.Is == Word:
		return within(text, folded(a.Text), inWord)
	}
	return within(text, folded(a.Text), func(_ []byte, _, _ int) bool { return true })
}

// verbatim looks for the text as it was typed, and with its escaped quotes as
// those that they stand for.
func (a *Atom) verbatim(text []byte) (start, end int, ok bool) {
	if start = bytes.Index(text, []byte(a.Text)); start >= 0 {
		return start, start + len(a.Text), true
	}
	if plain := strings.ReplaceAll(a.Text, `\"`, `"`); plain != a.Text {
		if start = bytes.Index(text, []byte(plain)); start >= 0 {
			return start, start + len(plain), true
		}
	}
	return 0, 0, false
}

// bordered finds a text where its borders hold.
func bordered(text, what []byte, holds func(text []byte, start, end int) bool) (start, end int, ok bool) {
	for from := 0; ; from = start + 1 {
		i := bytes.Index(text[from:], what)
		if i < 0 {
			return 0, 0, false
		}
		start = from + i
		if end = start + len(what); holds(text, start, end) {
			return start, end, true
		}
	}
}

// within is bordered for an expression.
func within(text []byte, what *regexp.Regexp, holds func(text []byte, start, end int) bool) (start, end int, ok bool) {
	for from := 0; from <= len(text); {
		m := what.FindIndex(text[from:])
		if m == nil {
			break
		}
		start, end = from+m[0], from+m[1]
		if holds(text, start, end) {
			return start, end, true
		}
		_, n := utf8.DecodeRune(text[start:])
		from = start + max(n, 1)
	}
	return 0, 0, false
}

// expressions are those of texts in any case, by text. Questions repeat them for
// every passage; they are few, and forgotten once there are too many.
var expressions = struct {
	sync.Mutex
	of map[string]*regexp.Regexp
}{of: map[string]*regexp.Regexp{}}

const mostExpressions = 256

func folded(text string) *regexp.Regexp {
	expressions.Lock()
	defer expressions.Unlock()
	re := expressions.of[text]
	if re == nil {
		if len(expressions.of) >= mostExpressions {
			clear(expressions.of)
		}
		re = regexp.MustCompile("(?i:" + regexp.QuoteMeta(text) + ")")
		expressions.of[text] = re
	}
	return re
}

// identifier reports whether a range is no part of a longer identifier.
func identifier(text []byte, start, end int) bool {
	before, _ := utf8.DecodeLastRune(text[:start])
	first, _ := utf8.DecodeRune(text[start:])
	last, _ := utf8.DecodeLastRune(text[:end])
	after, _ := utf8.DecodeRune(text[end:])
	return (start == 0 || !isNamePart(before) || !isNamePart(first)) && (end == len(text) || !isNamePart(after) || !isNamePart(last))
}

func isNamePart(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// inWord reports whether a range is a word, or a part of a name.
func inWord(text []byte, start, end int) bool {
	before, _ := utf8.DecodeLastRune(text[:start])
	first, n := utf8.DecodeRune(text[start:])
	second, _ := utf8.DecodeRune(text[start+n:])
	last, _ := utf8.DecodeLastRune(text[:end])
	after, n := utf8.DecodeRune(text[end:])
	next, _ := utf8.DecodeRune(text[end+n:])
	return (start == 0 || parts(before, first, second)) && (end == len(text) || parts(last, after, next))
}

// parts reports whether a word begins between a and b, behind which c stands:
// camelCase begins words by its letters, HTTPServer the second one before its last
// capital. Scripts that put no space between words do not tell.
func parts(a, b, c rune) bool {
	switch {
	case !isLetterOrDigit(a) || !isLetterOrDigit(b), isSpaceless(a) || isSpaceless(b):
		return true
	case unicode.IsUpper(b):
		return !unicode.IsUpper(a) || unicode.IsLower(c)
	}
	return false
}

func isLetterOrDigit(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func isSpaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// separators stand between the parts of a qualified name.
const separators = ".:#/"

// isName reports whether a text is an identifier, qualified or not.
func isName(text string) bool {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if first, _ := utf8.DecodeRuneInString(part); unicode.IsDigit(first) || strings.ContainsFunc(part, func(r rune) bool { return !isNamePart(r) }) {
			return false
		}
	}
	return lastPart(text) != ""
}

func lastPart(name string) string { return name[strings.LastIndexAny(name, separators)+1:] }
