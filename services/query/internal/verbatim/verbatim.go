// Package verbatim tells how well a passage holds the text of a question as it
// was typed: a line that was copied, a message, a sentence.
package verbatim

import (
	"bytes"
	"regexp"
	"strings"
)

// Grade is how well a passage holds a text, from 0 to 1.
type Grade float64

// The grades. Each is so far above the next that nothing else makes up for it.
const (
	Nowhere   Grade = 0
	Respaced  Grade = .4 // with other white space between its words
	Somewhere Grade = .7 // as it is, within lines
	Lines     Grade = 1  // as whole lines
)

// Text is what a passage must hold. It is safe for concurrent use.
type Text struct {
	typed   []byte // without the white space around it
	spaced  []byte // one space for each run of white space
	longest []byte // of its words
}

// How much a text of words alone must have so that it is looked for: less stands
// together everywhere.
const (
	fewest   = 2  // different tokens
	shortest = 20 // bytes
)

// longest is the most bytes of a text that is looked for: hardly a passage has more.
const longest = 4096

var (
	called = regexp.MustCompile(`^[\pL\pN_.:#>*&/-]+(\([\pL\pN_]*\))?$`)
	code   = regexp.MustCompile("[(){}\\[\\]<>=;\"'`&|+*%!$]")
)

// New returns the text to look for, with the tokens that a passage must have to
// hold it. ok is false for a name, a call or a path, of which the definition is
// meant and not every use, for a few words that stand together everywhere, and
// for what is longer than a passage.
func New(question string, within func(string) []string) (t Text, tokens []string, ok bool) {
	question = strings.TrimSpace(question)
	if len(question) > longest || called.MatchString(question) {
		return Text{}, nil, false
	}
	tokens = within(question)
	isCode := code.MatchString(question) && len(tokens) > 0
	if !isCode && (len(tokens) < fewest || len(question) < shortest) {
		return Text{}, nil, false
	}
	words := strings.Fields(question)
	t.typed, t.spaced = []byte(question), []byte(strings.Join(words, " "))
	for _, w := range words {
		if len(w) > len(t.longest) {
			t.longest = []byte(w)
		}
	}
	return t, tokens, true
}

// In grades a passage. The case of letters must be as typed.
func (t *Text) In(passage []byte) Grade {
	if !bytes.Contains(passage, t.longest) {
		return Nowhere // most passages, without a copy
	}
	found := Nowhere
	for rest := passage; ; {
		before, after, ok := bytes.Cut(rest, t.typed)
		if !ok {
			break
		}
		at := len(passage) - len(rest) + len(before)
		if isBlank(lastLine(passage[:at])) && isBlank(firstLine(after)) {
			return Lines
		}
		found, rest = Somewhere, after
	}
	if found == Nowhere && bytes.Contains(bytes.Join(bytes.Fields(passage), []byte(" ")), t.spaced) {
		return Respaced
	}
	return found
}

func lastLine(text []byte) []byte { return text[bytes.LastIndexByte(text, '\n')+1:] }

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}

func isBlank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
