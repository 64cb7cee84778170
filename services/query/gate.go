package query

import (
	"fmt"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// gate leaves out what is below the wanted score, once no stage changes the
// scores any more.
func (q *search) gate() {
	start := time.Now()
	all := q.resolved.Shown
	q.resolved.Shown = slices.DeleteFunc(slices.Clone(all), func(s resolve.Shown) bool {
		below := s.Candidate.Final < q.req.MinScore
		if below {
			q.lose(&s, resolve.Gated, fmt.Sprintf("its score %.3g is below the min_score %.3g", s.Candidate.Final, q.req.MinScore))
		}
		return below
	})
	q.trace("gate", start, len(all), len(q.resolved.Shown), "")
}

// lose notes the stage at which a passage was left out, where that was asked
// for.
func (q *search) lose(s *resolve.Shown, stage, why string) {
	if !q.explains {
		return
	}
	if q.resolved.Fates == nil {
		q.resolved.Fates = map[document.ChunkID]resolve.Fate{}
	}
	q.resolved.Fates[s.Candidate.ID] = resolve.Fate{Stage: stage, Why: why}
}
