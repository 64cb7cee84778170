package query

import (
	"slices"
	"time"

	"github.com/freshet-dev/freshet/services/query/internal/diversify"
	"github.com/freshet-dev/freshet/services/query/internal/request"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// diversePool is how many of the best passages may change places for being
// unlike each other: enough that ten of them can be.
const diversePool = 20

// diversifies reports whether likeness counts.
func (q *search) diversifies() bool {
	return q.cfg.Diversify > 0 && !q.req.Off(request.OffDiversify)
}

// diversify puts passages that say the same apart, where that is configured, and
// bounds the hits of one file among ten in the order that comes of all stages.
// The scores stay in their places, as those of a reranker do.
func (q *search) diversify() {
	start := time.Now()
	all, note := q.resolved.Shown, ""
	if q.diversifies() {
		best := all[:min(len(all), max(diversePool, q.req.K))]
		before := slices.Clone(best)
		scores, texts := make([]float64, len(best)), make([][]byte, len(best))
		for i := range best {
			scores[i], texts[i] = best[i].Candidate.Final, best[i].Text
		}
		for place, from := range diversify.Order(scores, texts, q.cfg.Diversify) {
			best[place] = before[from]
			best[place].Candidate.Final = scores[place]
			best[place].Candidate.Undiverse = from + 1
		}
		note = "by likeness of words"
	}
	spread, held := resolve.Spread(all, q.perFile(), q.req.Paths.Names)
	for i := range held {
		q.lose(&held[i], resolve.Held, "")
	}
	q.resolved.Shown = spread
	q.trace("diversify", start, len(all), len(spread), note)
}
