// Package issue tells reports of several paragraphs, as people file them with a
// project, from other long questions, and finds what they are about.
package issue

import (
	"regexp"
	"strings"
	"unicode"
)

// Bounds of a report, in words: of the line that says what it is about, and of
// what stands below it.
const (
	leastHead = 3
	mostHead  = 40
	leastRest = 12
)

// hidden is what a form tells those who fill it in, and nobody else sees.
var hidden = regexp.MustCompile(`(?s)<!--.*?-->`)

// Read returns the line that says what a report is about, and the report without
// what its form hides. The headline is empty where a text is no report: it has one
// paragraph, or begins as code or what a program prints does.
func Read(text string) (headline, visible string) {
	if !strings.Contains(text, "\n") {
		return "", text
	}
	visible = strings.TrimSpace(hidden.ReplaceAllString(text, ""))
	first, rest, _ := strings.Cut(visible, "\n")
	first = strings.TrimSpace(strings.TrimLeft(first, "# "))
	if !isHeadline(first) || len(strings.Fields(rest)) < leastRest {
		return "", text
	}
	return first, visible
}

// isHeadline reports whether a line is made of words, and ends as no line of code.
func isHeadline(line string) bool {
	words := strings.Fields(line)
	if len(words) < leastHead || len(words) > mostHead || strings.ContainsRune("{};,([=:\\|", rune(line[len(line)-1])) {
		return false
	}
	plain := 0
	for _, w := range words {
		if isPlain(w) {
			plain++
		}
	}
	return 2*plain >= len(words) && plain >= 2
}

// isPlain reports whether a word is one of a sentence.
func isPlain(word string) bool {
	word = strings.Trim(word, `"'.,:!?()*`)
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '-' && r != '\'' && r != '’'
	})
}
