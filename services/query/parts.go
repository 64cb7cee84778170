package query

import (
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// stageParts is the stage's name in traces.
const stageParts = "parts"

// headline is what an issue is about, asked for by itself: in the many words of the
// whole it is lost.
type headline struct {
	query *rank.Query
	terms []store.Term
}

// readHeadline takes an issue apart.
func readHeadline(q *search) {
	if q.req.Headline == "" {
		return
	}
	q.headline = &headline{query: rank.NewQuery(q.req.Headline, q.service.analyzer), terms: termsOf(q, q.req.Headline)}
	q.query.IsAbout(q.headline.query)
}

func hasHeadline(q *search) bool { return q.headline != nil }

// searchHeadline is the stage that asks the channels for what an issue is about. One
// that does not answer, or for which no time is left, has nothing to say to it.
func searchHeadline(ctx context.Context, q *search) (report, error) {
	lists := &rank.Lists{}
	var notes [2]string
	var ask []func()
	if len(q.headline.terms) > 0 && !q.req.Off(request.OffLexical) && !q.found.lexicalDown {
		ask = append(ask, func() {
			found, _, err := recallVariant(ctx, q, q.headline.terms)
			if err != nil {
				notes[0] = unsearched(ctx, q, err)
			}
			lists.Lexical, lists.Pending = found.Lexical, found.Pending
		})
	}
	if !q.req.Off(request.OffVector) && !q.found.vectorDown {
		ask = append(ask, func() {
			err := nearHeadline(ctx, q, lists)
			if err != nil {
				notes[1] = "no vectors: " + trouble(q, &outcome{stage: stageParts, trouble: err})
			}
		})
	}
	atOnce(ask)
	q.found.part = lists
	return report{in: len(q.headline.terms), out: len(lists.Lexical) + len(lists.Vector) + len(lists.Pending), note: notes[0] + notes[1]}, nil
}

// nearHeadline asks the vector stores.
func nearHeadline(ctx context.Context, q *search, lists *rank.Lists) error {
	about := q.service.near(ctx, q.req.Headline, q.req.Collections)
	if len(about.by) == 0 {
		return about.down
	}
	r, err := recall.VectorChannel(q.service.stores.vector(q.req.Collections), q.knownStores(document.Vector), about.by).Search(ctx, q.filter(), q.found.depth, q.keep())
	lists.Vector = r.Found
	return err
}

func foundByHeadline(q *search) bool {
	return q.found.part != nil && len(q.found.part.Lexical)+len(q.found.part.Vector)+len(q.found.part.Pending) > 0
}

// joinParts is the stage that makes one order of what an issue as a whole and what
// it is about have found.
func joinParts(_ context.Context, q *search) (report, error) {
	w := q.weights
	part := rank.Fuse(*q.found.part, q.headline.query.Class, w)
	q.describe(part)
	rank.Signals(part, q.headline.query, w, q.service.priorities, q.req.Off(request.OffSignals))
	in := len(q.ranked)
	q.ranked = rank.Join(slices.Clip(q.ranked), part)
	return report{in: in + len(part), out: len(q.ranked)}, nil
}
