package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
	"github.com/freshet-dev/freshet/services/query/internal/gate"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// weighConfidence is the stage that states how sure the answer is of itself and of each of its first hits.
// One that is not sure says that there is nothing relevant, unless its first hit
// holds what was typed; its hits are listed all the same, but where the request
// asks for more confidence than it has.
func weighConfidence(_ context.Context, q *search) (report, error) {
	hits := q.resolved.Shown[:countWeighed(q)]
	e := weigh(q, hits)
	sure, sum := 0.0, 0.0
	for i, evidence := range e.Hits {
		p := q.service.calibration.OfHit(evidence)
		q.resolved.Shown[i].Candidate.Confidence, q.resolved.Shown[i].Candidate.Evidence = p, evidence
		if i < q.req.K {
			sum += p
		}
	}
	if len(hits) > 0 {
		sure = q.service.calibration.OfAnswer(e.Answer)
	}
	if q.req.K < gate.Depth {
		sure = min(sure, sum) // of the hits that it was fitted on, fewer are listed
	}
	q.reply.Confidence = &sure
	q.reply.NothingRelevant = len(hits) == 0 || sure < q.service.calibration.LowOf(e.Answer) && !holdsVerbatim(q, &hits[0])
	if q.req.Explain {
		q.reply.Evidence = e.Answer
	}
	left := len(hits)
	if sure < q.req.MinConfidence {
		for i := range q.resolved.Shown {
			q.lose(&q.resolved.Shown[i], resolve.Gated, fmt.Sprintf("the answer's confidence %.2f is below the min_confidence %.2f", sure, q.req.MinConfidence))
		}
		q.resolved.Shown, left = nil, 0
	}
	return report{in: len(hits), out: left, note: fmt.Sprintf("%.2f", sure)}, nil
}

// weigh holds the hits against the question, and against each of its other wordings where
// there are some: it is answered where the wording that they fit best is.
func weigh(q *search, hits []resolve.Shown) gate.Evidence {
	best := gate.Weigh(background(q, meant(q)), hits)
	for _, text := range q.req.Variants {
		if e := gate.Weigh(background(q, text), hits); len(hits) > 0 && q.service.calibration.OfAnswer(e.Answer) > q.service.calibration.OfAnswer(best.Answer) {
			best = e
		}
	}
	return best
}

// countWeighed is how many hits are looked at.
func countWeighed(q *search) int {
	return min(len(q.resolved.Shown), max(q.req.K, gate.Depth))
}

// idf is what a word weighs in the lexical index; ok is false where that does
// not tell.
func (q *search) idf(word string) (idf float64, ok bool) {
	i, ok := q.term(word)
	if !ok {
		return 0, false
	}
	return q.found.stats.IDF(i), true
}

// term returns the place of a word among the terms that the lexical index has
// counted.
func (q *search) term(word string) (place int, ok bool) {
	if q.found.stats == nil {
		return 0, false
	}
	place = slices.IndexFunc(q.terms, func(t store.Term) bool { return t.Token == word })
	return place, place >= 0 && q.found.stats.Has(place)
}

// background is what the search knows beside its hits, of the question in some words. A
// word of the question itself weighs what it weighs in the lexical index, where that
// answered.
func background(q *search, text string) *gate.Search {
	s := &gate.Search{Class: q.query.Class, Lexical: q.found.lexical.Found, Vector: q.found.vector.Found}
	s.Issue = q.req.Headline != ""
	if q.found.stats != nil {
		s.Passages = q.found.stats.Chunks()
	}
	whole, missing := 0.0, 0.0
	s.Words = cover.New(text, q.service.analyzer, func(word string) float64 {
		i, ok := q.term(word)
		if !ok {
			return 1
		}
		idf := q.found.stats.IDF(i)
		whole += idf
		if q.found.stats.With(i) == 0 {
			missing += idf
		}
		return idf
	})
	if whole > 0 {
		s.Unknown = missing / whole
	}
	return s
}
