package query

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// advise says what would bring the best passage in.
func (q *searched) advise(ctx context.Context, best *wayOf) {
	do := func(actions ...document.Action) { q.out.Actions = append(q.out.Actions, actions...) }
	next := func(format string, args ...any) { q.out.Next = append(q.out.Next, fmt.Sprintf(format, args...)) }
	switch best.Lost {
	case lostK:
		do(document.Action{Do: document.DoSearchMore, Value: strconv.Itoa(best.Final)})
		if words := q.rare(ctx, best); len(words) > 0 {
			next("Use words that it holds and few others: %s.", strings.Join(words, ", "))
		}
	case resolve.Gated:
		next("Lower min_score to %.3g or less.", best.Score)
	case lostFilter:
		next("Ask without that filter, or name what the document is.")
	case lostIndex:
		next("%s", q.x.Summary)
		q.out.Next = append(q.out.Next, q.x.Next...)
		do(q.x.Actions...)
	case resolve.Dropped:
		next("Nothing but the newest version is shown: see what it holds now.")
	case resolve.Folded:
		do(document.Action{Do: document.DoSearchPath, Path: q.x.in.Path})
	case lostRecall:
		if _, ok := best.Channels["lexical"]; ok || len(best.Channels) > 0 {
			next("It is found where the search is narrowed to it.")
			do(document.Action{Do: document.DoSearchPath, Path: q.x.in.Path})
		}
		if words := q.rare(ctx, best); len(words) > 0 {
			next("Use words that it holds and few others: %s.", strings.Join(words, ", "))
		}
	}
	for _, d := range q.run.degraded {
		next("The answer was degraded: %s.", strings.TrimRight(d, "."))
	}
}

const (
	rareWords  = 4   // that are named
	rareLooked = 200 // that are looked at
)

// rare returns the words of a passage that fewest others hold.
func (q *searched) rare(ctx context.Context, w *wayOf) []string {
	if w.passage == nil || q.x.sight != nil {
		return nil // which words are rare is told by everything that is indexed
	}
	var words []string
	var terms []store.Term
	seen := map[string]bool{}
	text := w.passage.Symbol + " " + string(w.passage.text)
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		tokens := q.run.service.analyzer.Query(word)
		if len(tokens) == 0 || len(word) < 4 || seen[tokens[0].Token] || !w.tokens[tokens[0].Token] {
			continue
		}
		seen[tokens[0].Token] = true
		words, terms = append(words, word), append(terms, store.Term{Token: tokens[0].Token, Weight: 1})
		if len(words) == rareLooked {
			break
		}
	}
	st, err := recall.Count(ctx, q.run.service.stores.lexical(q.run.req.Collections), terms)
	if err != nil || len(words) == 0 {
		return nil
	}
	places := make([]int, len(words))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return st.With(a) - st.With(b) })
	var out []string
	for _, i := range places[:min(len(places), rareWords)] {
		out = append(out, words[i])
	}
	return out
}
