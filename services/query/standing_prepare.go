package query

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/standing"
)

// prepareStanding reads a kept question as a search reads its own. What it returns
// runs no stages behind that.
func (s *engine) prepareStanding(ctx context.Context, in contract.StandingQuestion) (*search, error) {
	q := newSearch(ctx, s)
	q.arrived, q.sight = time.Now(), nil // what its owner may see is decided when it is told
	err := q.accept(ctx, contract.SearchRequest{Query: in.Query, Collections: in.Collections, Filter: in.Filter})
	if err != nil {
		return nil, err
	}
	q.sources = q.req.Sources
	_, err = analyse(ctx, q)
	return q, err
}

// weigh gives a kept question the weights that its words have in the index now, and
// its vector. Without an answer of the stores every word weighs the same. Without
// one of the embedder there is an error: nothing is searchable by then, either.
func (q *search) weigh(ctx context.Context, least float64) (standing.Question, error) {
	if least == 0 {
		least = contract.DefaultRelevance
	}
	if st, err := recall.Count(ctx, q.service.stores.lexical(q.req.Collections), q.terms); err == nil {
		q.found.stats = st
	} else if ctx.Err() != nil {
		return standing.Question{}, ctx.Err()
	}
	if len(q.found.near.by) == 0 && !q.found.silent {
		q.found.near = q.service.near(ctx, q.req.Text, q.req.Collections)
		if q.found.near.down != nil {
			err := q.found.near.down
			q.found.near = nearness{} // asked again
			return standing.Question{}, err
		}
		q.found.silent = q.found.near.silent()
	}
	words := cover.New(meant(q), q.service.analyzer, func(word string) float64 {
		idf, ok := q.idf(word)
		if !ok {
			return 1
		}
		return idf
	})
	return standing.Question{Words: words, Near: q.found.near.by, Class: q.query.Class, Least: least}, nil
}

// asksFor reports whether a kept question is about a passage of a document, whatever
// it says.
func (q *search) asksFor(head *contract.FileHead, language string, chunk *document.Chunk) bool {
	at := candidate.OfChunk(head, "", language, chunk).Attrs
	if !q.inScope(head) || !hasOrAny(q.req.Languages, language) || !hasOrAny(q.req.Kinds, chunk.Kind) {
		return false
	}
	keep := q.keep()
	return keep == nil || keep(&at)
}
