package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
)

// Limits of what a spelling is looked for. Of three letters nearly every edit is
// another word, and what is longer than a name is data.
const (
	minSpelled = 4  // letters
	maxSpelled = 40 // bytes
)

// Word is a word of a query whose spelling may be wrong: an identifier as a
// whole, a part of one, or a plain word.
type Word struct {
	Typed string // as it stands in the query; a part in lower case
	// Whole says that it is an identifier of several parts, which the index
	// keeps as it is; anything else it keeps as a stem.
	Whole bool
	// Tokens find it; no passage has the word where none has one of them.
	Tokens []string
	// Form is the word in lower case; that of a longer one begins with it.
	Form string
}

// Spelling is a way in which a word may have been meant.
type Spelling struct {
	Word  string // lower case
	Token string // that finds it
}

// Spelled returns the words of a query whose spelling may be looked at, each
// once, in order: those of four letters or more that are no stop words.
func (a *Analyzer) Spelled(text string) []Word {
	var words []Word
	seen := map[string]bool{}
	add := func(w Word) {
		letters := 0
		for _, r := range w.Form {
			if unicode.In(r, unspaced...) {
				return // bigrams, which are no words
			}
			if unicode.IsLetter(r) {
				letters++
			}
		}
		if letters >= minSpelled && len(w.Form) <= maxSpelled && !seen[w.Form] && !stopWords[w.Form] {
			seen[w.Form] = true
			words = append(words, w)
		}
	}
	in, _ := languagesOf(text)
	s := scanner{text: []byte(text)}
	for {
		k, piece, ok := s.next()
		if !ok {
			return words
		}
		for _, n := range namesOf(k, string(piece)) {
			if n.whole != "" && len(n.parts) > 0 { // else it is data
				w := Word{Typed: string(piece), Whole: true, Tokens: []string{n.whole}, Form: n.whole}
				if other := otherStyle(string(piece)); k == asciiRun && other != "" {
					w.Tokens = append(w.Tokens, other)
				}
				add(w)
			}
			for _, part := range n.parts {
				typed := part
				if n.whole == "" {
					typed = string(piece)
				}
				w := Word{Typed: typed, Tokens: []string{a.stem(part)}, Form: part}
				for _, l := range in {
					if token := a.markedPiece(l, k, piece); token != "" {
						w.Tokens = append(w.Tokens, token)
					}
				}
				add(w)
			}
		}
	}
}

// Near returns what w becomes by one edit: two neighbours exchanged, a letter
// left out, added, or replaced (Damerau 1964). A token comes once, by the edit
// that stands first in this list.
func (a *Analyzer) Near(w *Word) []Spelling {
	var near []Spelling
	seen := map[string]bool{}
	for _, t := range w.Tokens {
		seen[t] = true
	}
	env := snowballstem.NewEnv("") // a new one for each edit takes a fifth more time
	forms := []string{w.Form}
	if w.Whole {
		forms = w.Tokens
	}
	for _, form := range forms {
		for _, word := range edits(form) {
			token := word
			if !w.Whole {
				token = stemIn(env, word)
			}
			if !seen[token] {
				seen[token] = true
				near = append(near, Spelling{Word: word, Token: token})
			}
		}
	}
	return near
}

// alphabets are the letters that an edit may bring in, where the word has one of
// the same alphabet.
var alphabets = []string{
	"abcdefghijklmnopqrstuvwxyz", "0123456789", "_",
	"абвгдежзийклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρστυφχψω",
}

// edits returns the words that are one edit from form. Some may be form itself.
func edits(form string) []string {
	letters := ""
	for _, a := range alphabets {
		if strings.ContainsAny(form, a) {
			letters += a
		}
	}
	runes := []rune(form)
	out := make([]string, 0, 2*len(runes)+(2*len(runes)+1)*utf8.RuneCountInString(letters))
	build := func(parts ...[]rune) {
		var b strings.Builder
		for _, p := range parts {
			for _, r := range p {
				b.WriteRune(r)
			}
		}
		out = append(out, b.String())
	}
	for i := 1; i < len(runes); i++ {
		build(runes[:i-1], runes[i:i+1], runes[i-1:i], runes[i+1:])
	}
	for i := range runes {
		build(runes[:i], runes[i+1:])
	}
	for i := range len(runes) + 1 {
		for _, r := range letters {
			build(runes[:i], []rune{r}, runes[i:])
		}
	}
	for i := range runes {
		for _, r := range letters {
			build(runes[:i], []rune{r}, runes[i+1:])
		}
	}
	return out
}

// Written returns how a text writes the word of a token, and false where it does
// not hold it. It is an identifier as a whole, or its part in lower case.
func (a *Analyzer) Written(token string, text []byte) (string, bool) {
	s := scanner{text: text}
	for {
		k, piece, ok := s.next()
		if !ok {
			return "", false
		}
		for _, n := range namesOf(k, string(piece)) {
			if n.whole == token {
				return string(piece), true
			}
			for _, part := range n.parts {
				switch {
				case a.stem(part) != token:
				case n.whole == "" && k == asciiRun:
					return string(piece), true
				default:
					return part, true
				}
			}
		}
	}
}
