package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// applyLearned is the stage that puts the best candidates into the order that the
// served model and the signals make together. Where there is a model that cannot
// be used, the order stays, and the answer says why.
func applyLearned(_ context.Context, q *search) (report, error) {
	now, n := q.service.learned.now(), len(q.ranked)
	r := report{in: n, out: n}
	switch {
	case now.model == nil:
		q.degradeOnce("learned: "+strings.TrimRight(now.state.Trouble, ".")+"; the order is that of the signals", now.state.Actions...)
		r.note = "failed"
	case !isWhole(q):
		r.note = "left out: it knows the order of both indexes with all signals"
	case *q.weights != now.weights:
		r.note = "left out: it was trained on the order of the weights that hold"
	case !now.model.Knows(q.query.Class):
		r.note = fmt.Sprintf("left out: it was not trained on questions of the class %s", q.query.Class)
	default:
		moved := now.model.Rerank(q.ranked, q.query)
		slices.SortStableFunc(q.ranked, func(a, b candidate.Candidate) int { return rank.ExactFirst(&a, &b) })
		r.note = fmt.Sprintf("%d trees, %d moved", now.state.Trees, moved)
	}
	return r, nil
}

// isTaught reports whether a model is served.
func isTaught(q *search) bool {
	now := q.service.learned.now()
	return now != nil && now.state != nil
}

func countRanked(q *search) int { return len(q.ranked) }

// isWhole reports whether the order is of the kind that a model is trained on.
func isWhole(q *search) bool {
	for _, stage := range []string{request.OffLexical, request.OffVector, request.OffSignals} {
		if q.req.Off(stage) {
			return false
		}
	}
	return !q.found.lexicalDown && !q.found.vectorDown
}
