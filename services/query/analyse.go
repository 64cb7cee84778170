package query

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
)

// analyse is the stage that finds out what kind of query this is and what to look
// for.
func analyse(_ context.Context, q *search) (report, error) {
	if q.req.Shortened {
		q.degradeOnce("query: of a text this long, only the first 16 KiB are searched by words and by meaning")
	}
	q.query = rank.NewQuery(q.req.Text, q.service.analyzer)
	readHeadline(q)
	q.reply.Class = string(q.query.Class)
	q.terms = termsOf(q, q.req.Text)
	q.exactly = whatExactly(q)
	requiredTerms(q)
	for _, v := range q.req.Variants {
		if terms := termsOf(q, v); len(terms) > 0 {
			q.variants = append(q.variants, terms)
		}
	}
	return report{in: 1, out: len(q.terms), note: note(len(q.terms) == 0, "no word that the index keeps")}, nil
}

func termsOf(q *search, text string) (terms []store.Term) {
	for _, t := range q.service.analyzer.Query(text) {
		terms = append(terms, store.Term{Token: t.Token, Weight: t.Weight})
	}
	return terms
}
