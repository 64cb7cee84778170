package mcpserver

import (
	"encoding/json"
	"fmt"
	"sort"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/tokenizer"
)

// How many tokens an answer may have.
const (
	defaultTokens = 2000
	leastTokens   = 200
	// mostTokens is below what clients take of one answer, 25,000.
	mostTokens = 24_000
)

// budget is what one answer may have.
type budget struct {
	*tokenizer.Tokenizer
	most int
}

func (s *Server) budgetOf(asked int) (budget, error) {
	if asked == 0 {
		asked = defaultTokens
	}
	if asked < leastTokens || asked > mostTokens {
		return budget{}, document.Errorf(document.InvalidRequest, "max_tokens is %d: choose %d to %d", asked, leastTokens, mostTokens)
	}
	return budget{s.tokenizer, asked}, nil
}

// pack makes the longest answer of at most n parts that keeps the budget, as text
// and as JSON, each on its own: a client hands on one of them. answer returns the
// answer of so many parts, and says in it what is left out.
func (b budget) pack(n int, answer func(parts int) (text string, structured any)) (string, any, error) {
	var failed error
	fits := func(parts int) bool {
		text, structured := answer(parts)
		js, err := json.Marshal(structured)
		if err != nil {
			failed = fmt.Errorf("encode an answer: %w", err)
		}
		return b.Fits(text, b.most) && b.Fits(string(js), b.most)
	}
	parts := n
	if !fits(n) {
		parts = max(sort.Search(n, func(i int) bool { return !fits(i + 1) }), 0)
	}
	if failed != nil {
		return "", nil, failed
	}
	text, structured := answer(parts)
	if parts == 0 && !b.Fits(text, b.most) {
		text = short(text, b.most) // a token is a byte at least
	}
	return text, structured, nil
}

// short cuts a text to so many bytes at the border of a character.
func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
