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
	"github.com/freshet-dev/freshet/services/query/internal/spelling"
)

// mayCorrect reports whether it has not been looked at yet which words no passage
// has, and can be.
func mayCorrect(q *search) bool {
	return !q.found.speller.done && q.service.cfg.Spelling > 0 && q.found.stats != nil && !q.found.lexicalDown && len(q.req.Reading.Must) == 0
}

// correctSpelling is the stage that looks for what stands in for words that no
// passage has, adds it to the terms, and asks the channels of words once more. It
// does so once in a search, and costs nothing where every word is known.
func correctSpelling(ctx context.Context, q *search) (report, error) {
	if !guessWords(ctx, q) {
		return report{parts: []contract.TraceStage{}}, nil
	}
	q.found.asked = false
	ask(ctx, q, false)
	told, err := judgeChannels(ctx, q)
	if err == nil {
		takeMeant(q)
	}
	return report{parts: append([]contract.TraceStage{*q.found.speller.stage}, told...)}, err
}

// guessWords reports whether something stands in for a word.
func guessWords(ctx context.Context, q *search) bool {
	q.found.speller.nothing = len(q.found.lexical.Found) == 0 && !q.found.lexical.More
	words := unknownWords(ctx, q)
	if len(words) == 0 {
		return false
	}
	q.found.speller.done = true
	start := time.Now()
	var indexes []spelling.Index
	stores := q.service.stores.lexical(q.req.Collections)
	for _, g := range q.service.stores.Generations() {
		if s := stores[g]; s != nil {
			indexes = append(indexes, s)
		}
	}
	corrections, err := spelling.Correct(ctx, q.service.analyzer, indexes, words, reaches(q, stores))
	q.found.speller.stage = &contract.TraceStage{Stage: "spelling", In: len(words), Out: len(corrections)}
	defer func() { q.found.speller.stage.MS = milliseconds(time.Since(start)) }()
	if err != nil {
		q.found.speller.stage.Note = "not looked for in time"
		if ctx.Err() == nil {
			q.found.speller.stage.Note = "the lexical index did not tell its words"
			q.service.log.Warn("spelling not looked at", "error", err)
		}
		return false
	}
	correct(q, corrections)
	return len(corrections) > 0
}

// unknown returns the words of the query that no passage has, of those that may
// be found and of those that are pending.
func unknownWords(ctx context.Context, q *search) []analysis.Word {
	known := func(w analysis.Word) bool { return knows(q, &w) }
	if q.sight != nil {
		// That a word stands only where they may not look is told to nobody.
		reach := reaches(q, q.service.stores.lexical(q.req.Collections))
		known = func(w analysis.Word) bool {
			return slices.ContainsFunc(w.Tokens, func(token string) bool {
				sees, err := reach(ctx, token)
				return err != nil || sees
			}) || knowsPending(q, &w)
		}
	}
	return slices.DeleteFunc(q.service.analyzer.Spelled(q.req.Text), known)
}

// knows reports whether some passage has a word. The counts are those of all
// passages; where the filter lets none through that has any of the terms, they
// say nothing.
func knows(q *search, w *analysis.Word) bool {
	for i, t := range q.terms {
		if !slices.Contains(w.Tokens, t.Token) {
			continue
		}
		if !q.found.speller.nothing && q.found.stats.With(i) > 0 {
			return true
		}
	}
	return knowsPending(q, w)
}

// knowsPending reports whether a pending passage has a word.
func knowsPending(q *search, w *analysis.Word) bool {
	for i, t := range q.terms {
		if slices.Contains(w.Tokens, t.Token) && i < len(q.found.pending.With) && q.found.pending.With[i] > 0 {
			return true
		}
	}
	return false
}

// reaches tells of a token whether it leads to a passage that the request lets
// through; nil where every one does.
func reaches(q *search, stores map[document.Generation]recall.Lexical) func(context.Context, string) (bool, error) {
	keep, filter := q.keep(), q.filter()
	if filter.IsZero() && keep == nil {
		return nil
	}
	k := 1
	if keep != nil {
		k = q.service.cfg.Overfetch
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
func correct(q *search, corrections []spelling.Correction) {
	q.found.speller.corrections = corrections
	for _, c := range corrections {
		for _, guess := range c.Guesses {
			if !slices.ContainsFunc(q.terms, func(t store.Term) bool { return t.Token == guess.Token }) {
				q.terms = append(q.terms, store.Term{Token: guess.Token, Weight: q.service.cfg.Spelling})
			}
		}
	}
}

// takeMeant takes the best guesses as what was asked for, where passages are
// looked at. Guesses are lower-case; where a passage that was found defines one,
// it is written as there.
func takeMeant(q *search) {
	text := q.req.Text
	for _, c := range q.found.speller.corrections {
		meant := c.Guesses[0].Word
		if c.Word.Whole {
			meant = "`" + definedAs(q, meant) + "`" // it is an identifier, whatever its case
		}
		text = replaceWord(text, c.Word.Typed, meant)
	}
	class, about := q.query.Class, q.headline
	q.found.speller.text, q.query = text, rank.NewQuery(text, q.service.analyzer)
	q.query.Class = class
	if about != nil {
		q.query.IsAbout(about.query)
	}
}

// defined returns a lower-case name as a passage that was found defines it.
func definedAs(q *search, name string) string {
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
func meant(q *search) string {
	if q.found.speller.text != "" {
		return q.found.speller.text
	}
	return q.req.Text
}

// listCorrected says what was searched in place of words that no passage has. A
// guess is named as a passage of the answer writes it: a store may still hold words that nothing
// in the log has.
func listCorrected(q *search) {
	for _, c := range q.found.speller.corrections {
		if q.sight == nil && knows(q, &c.Word) {
			continue // written since
		}
		var to []string
		for _, guess := range c.Guesses {
			if word, ok := writtenAs(q, guess.Token); ok && !slices.Contains(to, word) {
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
func writtenAs(q *search, token string) (string, bool) {
	for i := range q.resolved.endless {
		s := &q.resolved.endless[i]
		fields := append([]string{string(s.Text), s.Span.Label, s.Span.Context, s.Head.Path.Raw()}, s.Span.Headings...)
		for _, text := range fields {
			if word, ok := q.service.analyzer.Written(token, []byte(text)); ok {
				return word, true
			}
		}
	}
	return "", false
}

// typedFor returns the words as typed that guesses stand in for, by token.
func typedFor(q *search) map[string]string {
	typed := map[string]string{}
	for _, c := range q.found.speller.corrections {
		for _, guess := range c.Guesses {
			typed[guess.Token] = c.Word.Typed
		}
	}
	return typed
}
