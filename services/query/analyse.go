package query

import (
	"context"
	"slices"

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
	lightenLanguage(q)
	q.exactly = whatExactly(q)
	requiredTerms(q)
	for _, v := range q.req.Variants {
		if terms := termsOf(q, v); len(terms) > 0 {
			q.variants = append(q.variants, terms)
		}
	}
	return report{in: 1, out: len(q.terms), note: note(len(q.terms) == 0, "no word that the index keeps")}, nil
}

// byLanguage is what a word weighs that names the language of what is looked for, of
// what it would weigh else: code in that language seldom has the word, and pages about it
// do. A quarter was better than the whole, and than none, on questions about Python.
const byLanguage = .25

// lightenLanguage has such words weigh less, unless there is nothing else.
func lightenLanguage(q *search) {
	light := map[string]bool{}
	for _, word := range q.query.LanguageWords() {
		for _, t := range q.service.analyzer.Query(word) {
			light[t.Token] = true
		}
	}
	rest := slices.ContainsFunc(q.terms, func(t store.Term) bool { return !light[t.Token] })
	for i := range q.terms {
		if rest && light[q.terms[i].Token] {
			q.terms[i].Weight *= byLanguage
		}
	}
}

func termsOf(q *search, text string) (terms []store.Term) {
	for _, t := range q.service.analyzer.Query(text) {
		terms = append(terms, store.Term{Token: t.Token, Weight: t.Weight})
	}
	return terms
}
