package reading

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentenceMarks may stand behind text in quotes.
const sentenceMarks = ",.;?!"

// plainWord is what can be left out, and be one of alternatives.
var plainWord = regexp.MustCompile(`^[\pL\pN_](?:[\pL\pN_.:#/+-]*[\pL\pN_+#])?$`)

func word(text string) (Atom, bool) {
	return Atom{Text: text, Is: Word}, plainWord.MatchString(text) && text != "OR" && text != "AND" && text != "NOT"
}

// isLeftOut reports whether a word behind a dash or NOT is to be left out, and no
// flag of a command (-r), no number, and no keyword as in NOT NULL.
func isLeftOut(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(first) && utf8.RuneCountInString(text) > 1 && (hasLower(text) || !isASCII(text))
}

func hasLower(text string) bool { return strings.ContainsFunc(text, unicode.IsLower) }

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// wordEnd is the length of the word that a text begins with.
func wordEnd(text string) int {
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		return i
	}
	return len(text)
}

// ends reports whether a word is over here, but for marks.
func ends(after, marks string) bool {
	after = strings.TrimLeft(after, marks)
	r, _ := utf8.DecodeRuneInString(after)
	return after == "" || unicode.IsSpace(r)
}

// quoted reads text in double quotes, an i behind which stands for any case; n is
// its length. A backslash before a quote keeps the text open.
func quoted(from string) (a Atom, n int) {
	if !strings.HasPrefix(from, `"`) {
		return a, 0
	}
	for end := 1; end < len(from); end++ {
		switch from[end] {
		case '\\':
			end++
		case '"':
			a = Atom{Text: from[1:end], Is: Verbatim}
			if strings.TrimSpace(a.Text) == "" {
				return a, 0
			}
			n = end + 1
			if n < len(from) && from[n] == 'i' && !inName(from[n+1:]) {
				a.AnyCase = true
				n++
			}
			return a, n
		}
	}
	return a, 0
}

// inName reports whether a text goes on a name.
func inName(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && isNamePart(r)
}

// group reads alternatives in parentheses: (a OR "b c"), (a|b).
func group(from string) (c Clause, n int) {
	if !strings.HasPrefix(from, "(") {
		return nil, 0
	}
	c, n = alternatives(from[1:], ")", true)
	if n == 0 || len(c) < 2 || !ends(from[n+2:], sentenceMarks) {
		return nil, 0
	}
	return c, n + 2
}

var (
	between = regexp.MustCompile(`^(?:\s+OR\s+|\s*\|\s*)`)
	glued   = regexp.MustCompile(`^\|`)
)

// alternatives reads them up to until, or to the end of the word where that is "";
// spaced says that they may stand apart.
func alternatives(from, until string, spaced bool) (c Clause, n int) {
	separator := glued
	if spaced {
		separator = between
	}
	for at := 0; ; {
		if spaced {
			at += len(from[at:]) - len(strings.TrimLeftFunc(from[at:], unicode.IsSpace))
		}
		a, length := quoted(from[at:])
		if length == 0 {
			length = strings.IndexFunc(from[at:], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`|()"`, r) })
			if length < 0 {
				length = len(from) - at
			}
			var ok bool
			if a, ok = word(from[at : at+length]); !ok {
				return nil, 0
			}
		}
		c, at = append(c, a), at+length
		if m := separator.FindString(from[at:]); m != "" {
			at += len(m)
			continue
		}
		switch {
		case until == "" && ends(from[at:], ""):
			return c, at
		case until != "" && strings.HasPrefix(strings.TrimLeftFunc(from[at:], unicode.IsSpace), until):
			return c, at + strings.Index(from[at:], until)
		}
		return nil, 0
	}
}

// unquoted is a question without what stands in quotes.
func unquoted(question string) string {
	var b strings.Builder
	for rest := question; rest != ""; {
		n := len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
		b.WriteString(rest[:n])
		rest = rest[n:]
		dash := len(rest) - len(strings.TrimPrefix(rest, "-"))
		if _, n := quoted(rest[dash:]); n > 0 && ends(rest[dash+n:], sentenceMarks) {
			rest = rest[dash+n:]
			continue
		}
		n = wordEnd(rest)
		b.WriteString(rest[:n])
		rest = rest[n:]
	}
	return b.String()
}

// typedForm is what code and commands have and sentences have not: brackets,
// operators, a call, a flag, a pipe, a path from here.
var typedForm = regexp.MustCompile("[{}\\[\\]<>=;$`\\\\&]" + `|[\pL\pN_]\(|(?:^|\s)\)|(?:^|\s)(?:--|-\pL(?:\s|$)|\./|\|\|?\s)`)

// looksTyped reports whether a question is code or a command rather than words:
// there a dash, a bar or a parenthesis is no operator.
func looksTyped(question string) bool {
	var b strings.Builder
	for _, field := range strings.Fields(unquoted(question)) {
		if _, n := filterAt(strings.TrimPrefix(field, "-")); n == 0 {
			b.WriteString(field)
			b.WriteByte(' ')
		}
	}
	return typedForm.MatchString(b.String())
}
