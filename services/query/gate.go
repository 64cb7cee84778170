package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// dropBelow is the stage that leaves out what is below the wanted score, once no
// stage changes the scores any more.
func dropBelow(_ context.Context, q *search) (report, error) {
	all := q.resolved.Shown
	below := func(s resolve.Shown) bool {
		below := s.Candidate.Final < q.req.MinScore
		if below {
			q.lose(&s, resolve.Gated, fmt.Sprintf("its score %.3g is below the min_score %.3g", s.Candidate.Final, q.req.MinScore))
		}
		return below
	}
	q.resolved.Shown = slices.DeleteFunc(slices.Clone(all), below)
	q.resolved.Held = slices.DeleteFunc(slices.Clone(q.resolved.Held), below)
	return report{in: len(all), out: len(q.resolved.Shown)}, nil
}
