package query

import (
	"context"
	"fmt"

	"github.com/freshet-dev/freshet/services/query/internal/rank"
)

// fuse is the stage that makes one list of what the channels found.
func fuse(_ context.Context, q *search) (report, error) {
	words, pending := q.found.words()
	if q.found.lexicalDown {
		words = q.found.keyword
	}
	lists := rank.Lists{Lexical: words, Vector: q.found.vector.Found, Pending: pending, Verbatim: q.found.verbatim, Named: q.found.named, Quoted: q.found.read, Placed: q.found.placed}
	w := q.weights
	q.ranked = rank.Fuse(lists, q.query.Class, w)
	return report{
		in: len(lists.Lexical) + len(lists.Vector) + len(lists.Pending), out: len(q.ranked),
		note: fmt.Sprintf("%s, %s", w.Fusion, rank.VectorShares(q.query.Class, w)),
	}, nil
}
