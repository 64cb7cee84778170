package query

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/request"
	"github.com/freshet-dev/freshet/services/query/internal/spelling"
)

// speller is what became of the words of a query that no passage has.
type speller struct {
	done        bool
	nothing     bool // what the filter lets through has none of the terms
	corrections []spelling.Correction
	text        string // the query with the best guesses in it; "" without any
	stage       *contract.TraceStage
}

// spell looks for what stands in for words that no passage has, and adds it to
// the terms; true where the channels of words have to be asked once more. It
// does so once in a search, and costs nothing where every word is known.
func (q *search) spell(ctx context.Context, filter store.Filter) (again bool) {
	if q.speller.done || q.cfg.Spelling == 0 || q.req.Off(request.OffSpelling) || q.found.stats == nil || q.found.lexicalDown {
		return false
	}
	q.speller.nothing = len(q.found.lexical.Found) == 0 && !q.found.lexical.More
	words := q.unknown()
	if len(words) == 0 {
		return false
	}
	q.speller.done = true
	start := time.Now()
	var indexes []spelling.Index
	stores := q.shelf.lexical(q.req.Collections)
	for _, g := range q.shelf.Generations() {
		if s := stores[g]; s != nil {
			indexes = append(indexes, s)
		}
	}
	corrections, err := spelling.Correct(ctx, q.analyzer, indexes, words, q.reaches(stores, filter))
	q.speller.stage = &contract.TraceStage{Stage: "spelling", In: len(words), Out: len(corrections)}
	defer func() { q.speller.stage.MS = milliseconds(time.Since(start)) }()
	if err != nil {
		q.speller.stage.Note = "not looked for in time"
		if ctx.Err() == nil {
			q.speller.stage.Note = "the lexical index did not tell its words"
			q.log.Warn("spelling not looked at", "error", err)
		}
		return false
	}
	q.correct(corrections)
	return len(corrections) > 0
}

// unknown returns the words of the query that no passage has, of those that may
// be found and of those that are pending.
func (q *search) unknown() []analysis.Word {
	return slices.DeleteFunc(q.analyzer.Spelled(q.req.Text), func(w analysis.Word) bool { return q.knows(&w) })
}

// knows reports whether some passage has a word. The counts are those of all
// passages; where the filter lets none through that has any of the terms, they
// say nothing.
func (q *search) knows(w *analysis.Word) bool {
	for i, t := range q.terms {
		if !slices.Contains(w.Tokens, t.Token) {
			continue
		}
		if !q.speller.nothing && q.found.stats.With(i) > 0 || i < len(q.found.pending.With) && q.found.pending.With[i] > 0 {
			return true
		}
	}
	return false
}

// reaches tells of a token whether it leads to a passage that the request lets
// through; nil where every one does.
func (q *search) reaches(stores map[document.Generation]recall.Lexical, filter store.Filter) func(context.Context, string) (bool, error) {
	keep := q.keep()
	if filter.IsZero() && keep == nil {
		return nil
	}
	k := 1
	if keep != nil {
		k = q.cfg.Overfetch
	}
	return func(ctx context.Context, token string) (bool, error) {
		for _, s := range stores {
			hits, err := s.Search(ctx, []store.Term{{Token: token, Weight: 1}}, filter, k)
			if err != nil {
				return false, err
			}
			if slices.ContainsFunc(hits, func(h store.Hit) bool { return keep == nil || keep(&h.Attrs) }) {
				return true, nil
			}
		}
		return false, nil
	}
}

// correct takes what was guessed into the search, as terms that weigh less.
func (q *search) correct(corrections []spelling.Correction) {
	q.speller.corrections = corrections
	for _, c := range corrections {
		for _, guess := range c.Guesses {
			if !slices.ContainsFunc(q.terms, func(t store.Term) bool { return t.Token == guess.Token }) {
				q.terms = append(q.terms, store.Term{Token: guess.Token, Weight: q.cfg.Spelling})
			}
		}
	}
}

// takeMeant takes the best guesses as what was asked for, where passages are
// looked at. Guesses are lower-case; where a passage that was found defines one,
// it is written as there.
func (q *search) takeMeant() {
	text := q.req.Text
	for _, c := range q.speller.corrections {
		meant := c.Guesses[0].Word
		if c.Word.Whole {
			meant = "`" + q.defined(meant) + "`" // it is an identifier, whatever its case
		}
		text = replaceWord(text, c.Word.Typed, meant)
	}
	class := q.query.Class
	q.speller.text, q.query = text, rank.NewQuery(text, q.analyzer)
	q.query.Class = class
}

// defined returns a lower-case name as a passage that was found defines it.
func (q *search) defined(name string) string {
	for i := range q.found.lexical.Found {
		for symbol := range strings.SplitSeq(q.found.lexical.Found[i].Attrs.Symbol, "\n") {
			if last := rank.LastPart(symbol); strings.EqualFold(last, name) {
				return last
			}
		}
	}
	return name
}

// replaceWord replaces a word where it is not a part of another one.
func replaceWord(text, word, by string) string {
	var b strings.Builder
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			b.WriteString(text[from:])
			return b.String()
		}
		start, end := from+at, from+at+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		b.WriteString(text[from:start])
		if inWord(before) || inWord(after) {
			b.WriteString(word)
		} else {
			b.WriteString(by)
		}
		from = end
	}
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// meant is the text of the query as it is taken to be meant.
func (q *search) meant() string {
	if q.speller.text != "" {
		return q.speller.text
	}
	return q.req.Text
}

// listCorrected says what was searched in place of words that no passage has. A
// guess is named as a passage of the answer writes it: a store may still hold words that nothing
// in the log has.
func (q *search) listCorrected() {
	for _, c := range q.speller.corrections {
		if q.knows(&c.Word) {
			continue // written since
		}
		var to []string
		for _, guess := range c.Guesses {
			if word, ok := q.written(guess.Token); ok && !slices.Contains(to, word) {
				to = append(to, word)
			}
		}
		if len(to) > 0 {
			q.reply.Corrected = append(q.reply.Corrected, contract.Corrected{From: c.Word.Typed, To: to})
		}
	}
}

// written returns how the first passage that may be shown and holds a token
// writes it.
func (q *search) written(token string) (string, bool) {
	for i := range q.endless {
		s := &q.endless[i]
		fields := append([]string{string(s.Text), s.Span.Label, s.Span.Context, s.Head.Path.Raw()}, s.Span.Headings...)
		for _, text := range fields {
			if word, ok := q.analyzer.Written(token, []byte(text)); ok {
				return word, true
			}
		}
	}
	return "", false
}

// traceSpelling notes the stage in every round: the trace is that of the last.
func (q *search) traceSpelling() {
	if s := q.speller.stage; s != nil {
		q.reply.Trace = append(q.reply.Trace, *s)
	}
}

// typedFor returns the words as typed that guesses stand in for, by token.
func (q *search) typedFor() map[string]string {
	typed := map[string]string{}
	for _, c := range q.speller.corrections {
		for _, guess := range c.Guesses {
			typed[guess.Token] = c.Word.Typed
		}
	}
	return typed
}
