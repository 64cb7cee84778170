package query

import (
	"context"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/gate"
	"github.com/freshet-dev/freshet/services/query/internal/request"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// holdAgainstLog is the stage that leaves of what was ranked what the log shows.
func holdAgainstLog(ctx context.Context, q *search) (report, error) {
	answer, err := q.service.resolver.Resolve(ctx, q.ranked, wanted(q), q.last)
	if err != nil {
		return report{}, fmt.Errorf("hold the answer against the log: %w", err)
	}
	q.resolved.Answer = answer
	if answer.Hasty {
		q.degrade("time: not all that was found could be held against the log before the deadline, as where a text stands in thousands of documents: allow more with deadline_ms")
	}
	return report{in: len(q.ranked), out: len(answer.Shown), note: note(answer.Dropped > 0, "%d dropped", answer.Dropped)}, nil
}

// wanted is what the stages behind this one need of it.
func wanted(q *search) resolve.Want {
	w := resolve.Want{
		K: q.req.K, MinScore: q.req.MinScore, ByLine: true, Views: q.req.Views,
		May:     func(h *contract.FileHead) bool { return q.req.Described(h.Metadata) && bus.Head(q.sight, h) },
		PerFile: perFile(q), Named: unbounded(q), Pending: q.service.cfg.PendingDocuments, Matches: q.service.plain.Matcher(allTerms(q)),
	}
	if q.sight != nil {
		w.Bare = func(c *candidate.Candidate, h *contract.FileHead, at *document.Span, text []byte) bool {
			byText := c.Vector.Rank + c.Verbatim.Rank + c.Quoted.Rank + c.Placed.Rank
			return q.req.KeepsLines(h.Path) && (byText > 0 || w.Matches(h, at, text))
		}
	}
	if q.req.Reading.Narrows() {
		w.Lacks = func(text []byte) string { return lacksRequired(q.req.Reading, text) }
	}
	if !q.req.Off(request.OffConfidence) {
		w.K = max(w.K, gate.Depth) // however few are listed
	}
	if showsNamed(q) {
		w.K = max(w.K, namedPool)
	}
	if diversifies(q) {
		w.K = max(w.K, diversePool)
	}
	if reranks(q) {
		// What is below the threshold may come above it.
		w.K, w.MinScore = max(w.K, q.service.cfg.Rerank.Passages), 0
	}
	if !q.req.Off(request.OffFold) {
		w.Copies = func() func(*resolve.Shown) bool {
			f := newFolding(q)
			return func(n *resolve.Shown) bool { c := *n; return f.take(&c) }
		}
	}
	if q.explains {
		w.K, w.Fates = len(q.ranked)+1, true
	}
	return w
}
