package query

import (
	"context"

	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// applySignals is the stage that orders what was found by everything that is known
// of it; left out, it takes the order of the fusion.
func applySignals(_ context.Context, q *search) (report, error) {
	off := q.req.Off(request.OffSignals)
	rank.Signals(q.ranked, q.query, &q.service.cfg.Ranking, q.service.priorities, off)
	return report{in: len(q.ranked), out: len(q.ranked), note: note(off, "off")}, nil
}
