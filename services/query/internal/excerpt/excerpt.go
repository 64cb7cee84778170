// Package excerpt shortens passages for an answer.
package excerpt

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Marks are the lower-case words of a query that a line is rated by.
type Marks []string

// NewMarks returns the words of a query of at least two letters, each once.
func NewMarks(query string, isStopWord func(string) bool) Marks {
	var out Marks
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(query), func(r rune) bool {
		return r < 0x80 && !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_')
	}) {
		if len(w) >= 2 && !seen[w] && !isStopWord(w) {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

// Excerpt returns whole lines of text, at most limit bytes of them or one cut
// line: from the first line, unless the line that has the most marks lies
// beyond; then from the line before it. Invalid UTF-8 is replaced.
func Excerpt(text []byte, marks Marks, limit int) string {
	text = bytes.Trim(text, "\n\r")
	if len(text) <= limit {
		return Valid(text)
	}
	at, before := bestLine(text, marks)
	start := 0
	if end := lineEnd(text, at); end > limit {
		start = at
		if end-before <= limit {
			start = before
		}
	}
	return Valid(wholeLines(text[start:], limit))
}

// bestLine returns the offsets of the line with the most marks (the first
// one), and of the line before it.
func bestLine(text []byte, marks Marks) (at, before int) {
	most := 0
	previous := 0
	lower := bytes.ToLower(text)
	if len(lower) != len(text) {
		lower = text // a letter that is longer in lower case: compare as it is
	}
	for start := 0; start < len(lower); {
		end := lineEnd(lower, start)
		n := 0
		for _, m := range marks {
			if bytes.Contains(lower[start:end], []byte(m)) {
				n++
			}
		}
		if n > most {
			most, at, before = n, start, previous
		}
		previous = start
		start = end + 1
	}
	return at, before
}

func lineEnd(text []byte, start int) int {
	if i := bytes.IndexByte(text[start:], '\n'); i >= 0 {
		return start + i
	}
	return len(text)
}

// wholeLines returns the first lines of text within limit, or a part of the
// first.
func wholeLines(text []byte, limit int) []byte {
	if len(text) <= limit {
		return text
	}
	if i := bytes.LastIndexByte(text[:limit+1], '\n'); i > 0 {
		return text[:i]
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// Valid returns text with invalid UTF-8 replaced by U+FFFD.
func Valid(text []byte) string { return strings.ToValidUTF8(string(text), "\uFFFD") }
