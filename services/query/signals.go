package query

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// applySignals is the stage that orders what was found by everything that is known
// of it; left out, it takes the order of the fusion.
func applySignals(_ context.Context, q *search) (report, error) {
	off := q.req.Off(request.OffSignals)
	q.describe(q.ranked)
	rank.Signals(q.ranked, q.query, q.weights, q.service.priorities, off)
	return report{in: len(q.ranked), out: len(q.ranked), note: note(off, "off")}, nil
}

// describe tells candidates what their documents were put with, where that is weighed: by
// the newest head in one of the views that the search is about. It decides the order alone,
// so that a version which comes meanwhile is of no matter.
func (q *search) describe(all []candidate.Candidate) {
	if !q.service.priorities.WeighMetadata() {
		return
	}
	views := q.req.Views
	if len(views) == 0 {
		views = []document.View{document.Worktree}
	}
	files := q.service.bus.Files()
	for i := range all {
		at := &all[i].Attrs
		var newest contract.FileHead
		for _, v := range views {
			h, ok := files.Get(bus.FileKey{Source: at.Source, Doc: at.Doc, View: v})
			if ok && h.Version > newest.Version {
				newest = h
			}
		}
		all[i].Metadata = newest.Metadata
	}
}
