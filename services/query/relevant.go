package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// A word is rare where at most one passage of rareShare has it, and rareMost at
// most; one passage in any case. A word of which the index has none counts too:
// it may stand in a document that is not indexed yet.
const (
	rareShare = 100
	rareMost  = 5
)

// holdsVerbatim reports whether a passage holds the whole question, or a rare
// word of it, as it was typed but for case and spacing: whoever looks for that
// has found it, whatever the evidence says. So has who named a line of it, or what
// every hit holds.
func holdsVerbatim(q *search, s *resolve.Shown) bool {
	if s.Candidate.Placed.Rank > 0 || len(q.req.Reading.Must) > 0 {
		return true
	}
	text := plainText(string(s.Text))
	if standsIn(text, plainText(q.req.Text)) {
		return true
	}
	for _, word := range strings.FieldsFunc(q.req.Text, func(r rune) bool { return !inWord(r) }) {
		if isRare(q, word) && standsIn(text, plainText(word)) {
			return true
		}
	}
	return false
}

// isRare reports whether hardly a passage of the index has a word; false where
// the lexical index does not tell.
func isRare(q *search, word string) bool {
	st := q.found.stats
	if st == nil {
		return false
	}
	most := max(min(st.Chunks()/rareShare, rareMost), 1)
	terms := q.service.analyzer.Query(word)
	for _, t := range terms {
		if t.Weight < terms[0].Weight {
			continue // not what was typed, but another spelling of it
		}
		if i, ok := q.term(t.Token); ok && st.With(i) <= most {
			return true
		}
	}
	return false
}

// plainText is a text in lower case, with one space between its words.
func plainText(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(text)), " ")
}

// standsIn reports whether a text has words somewhere, none of them as a part
// of another word.
func standsIn(text, words string) bool {
	if words == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(words)
	last, _ := utf8.DecodeLastRuneInString(words)
	for from := 0; ; {
		i := strings.Index(text[from:], words)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(words)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !goesOn(before, first) && !goesOn(last, after) {
			return true
		}
		from = start + utf8.RuneLen(first)
	}
}

// goesOn reports whether a word does not end between two characters. Scripts
// that put no space between words do not tell.
func goesOn(a, b rune) bool { return inWord(a) && inWord(b) && !spaceless(a) && !spaceless(b) }

func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
