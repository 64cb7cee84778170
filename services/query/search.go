package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/lease"
	"github.com/freshet-dev/freshet/services/query/internal/request"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// search is one search on its way: the states that its stages hand on, and what
// the runner keeps of it.
type search struct {
	asked
	found    recalled
	ranked   []candidate.Candidate
	resolved resolved
	reply    contract.SearchReply // what is shown

	explains bool // an explanation is asked for, so that nothing is cut off

	opening   []stage  // before the rounds
	round     []stage  // done again while too little may be shown
	closing   []stage  // behind the rounds
	packing   *packing // where closing ends in a packed text
	diversity float64  // what a score counts beside being unlike those before it; 0: leave likeness out
}

func newSearch(ctx context.Context, s *engine) *search {
	holds := s.keeping.holds()
	return &search{asked: asked{question: *s.asks(ctx, s.index.Reach), weights: &holds.weights, sure: holds.minConfidence}, opening: opening, round: round, closing: closing, diversity: s.cfg.Diversify}
}

func serveSearch(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.Endpoint(ctx, svc, rpc.Options{
		Name: "search", Subject: contract.SubjectSearch, Limit: s.cfg.Concurrency,
		Deadline: s.cfg.MaxDeadline, // what the body says of it counts from the arrival, too
	}, audited(s, contract.SubjectSearch, lookSearch, s.Search))
}

// Search answers one request. Errors are *document.Error.
func (s *Service) Search(ctx context.Context, in contract.SearchRequest) (contract.SearchReply, error) {
	return framed(s, &s.counters.searches, func(e *engine) (*question, contract.SearchReply, error) {
		q := newSearch(ctx, e)
		err := q.search(ctx, in)
		if err == nil && len(q.reply.Pending) > 0 {
			s.counters.pending.Add(1)
		}
		return &q.question, q.reply, err
	}, func(r *contract.SearchReply) ending { return ending{&r.Degraded, &r.Actions, &r.TookMS} })
}

// search does the stages, and extends the lease of the request.
func (q *search) search(ctx context.Context, in contract.SearchRequest) error {
	if err := q.lease.open(ctx, in.Lease); err != nil {
		return err
	}
	if err := q.run(ctx, in); err != nil {
		return err
	}
	return q.lease.give(ctx, q.last, &q.reply.Lease, func() ([]lease.Given, error) { return q.givenOf(ctx) })
}

// typed makes sure that an error has a kind and a sentence for the caller.
func typed(err error) error {
	var e *document.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return document.Errorf(document.Deadline, "the answer was not ready at the deadline: allow more with deadline_ms: %w", err)
	case errors.Is(err, context.Canceled):
		return document.Errorf(document.Unavailable, "the service is stopping: ask again")
	}
	return document.Errorf(document.Unavailable, "the log does not answer as it should: %w", err)
}

// run does the stages. It owns what they have in common: the deadline, what the
// request leaves out, and the trace.
func (q *search) run(ctx context.Context, in contract.SearchRequest) error {
	if err := q.accept(ctx, in); err != nil {
		return err
	}
	until, cancel := context.WithDeadline(ctx, q.deadline)
	defer cancel()
	// The vector depends on the text alone, so that it can come meanwhile.
	defer askVector(until, q)()
	return q.stages(ctx)
}

// stages does all of them for a request that is accepted.
func (q *search) stages(ctx context.Context) error {
	until, cancel := context.WithDeadline(ctx, q.deadline)
	defer cancel()
	if err := q.all(until, q.opening); err != nil {
		return err
	}
	// The barrier may have put the deadline off.
	ctx, cancel = context.WithDeadline(ctx, q.deadline)
	defer cancel()
	if err := q.find(ctx); err != nil {
		return err
	}
	err := q.all(ctx, q.closing)
	q.withhold()
	return err
}

// accept checks the request, and sets the deadline.
func (q *search) accept(ctx context.Context, in contract.SearchRequest) error {
	start, cfg := time.Now(), &q.service.cfg
	var err error
	q.req, err = request.Parse(in, request.Limits{
		K: cfg.K, MaxK: cfg.MaxK, Deadline: cfg.Deadline, MaxDeadline: cfg.MaxDeadline, Collections: q.service.stores.Collections(),
	})
	if err != nil {
		return err
	}
	if len(in.Ranking) > 0 {
		tried, err := q.weights.With(in.Ranking)
		if err != nil {
			return err
		}
		q.weights = &tried
	}
	if q.req.MinConfidence == 0 && !q.req.Off(request.OffConfidence) {
		q.req.MinConfidence = q.sure
	}
	q.scope = &q.req.Scope
	if err := q.mayNarrow(); err != nil {
		return err
	}
	q.trace("validate", start, report{})
	return q.allow(ctx)
}

// maxCatchUp bounds how often a search is done again because documents that it
// had found changed meanwhile. A second time is rare, but where many documents
// change at once on a busy machine, each round meets another of them.
const maxCatchUp = 16

// maxExchanged bounds how often a search is done again because a store was given
// another id meanwhile, as where an indexer takes over from one that was killed. While
// another build takes the place of one under kills it happens several times in a row.
const maxExchanged = 16

// find does rounds: again while too little of what was found may be shown, while
// what was found has just changed, or while the stores that hold it have. The trace is
// that of the last.
func (q *search) find(ctx context.Context) error {
	before, cfg := len(q.reply.Trace), &q.service.cfg
	q.found.depth = min(max(cfg.Overfetch, q.req.K+q.req.K/2), cfg.MaxOverfetch)
	told, offered := len(q.degraded), len(q.actions)
	for overtaken, renewed := 0, 0; ; {
		q.reply.Trace = q.reply.Trace[:before]
		err := q.again(ctx)
		late := time.Until(q.deadline) < q.reserve()
		swapped := exchanged(q)
		if !late && renewed < maxExchanged && swapped {
			renewed++
			q.degraded, q.actions = q.degraded[:told], q.actions[:offered]
			if err := listAgain(ctx, q); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if len(q.resolved.Overtaken) > 0 && !late && overtaken < maxCatchUp {
			overtaken++
			if err := catchUp(ctx, q); err != nil {
				return err
			}
			continue
		}
		q.resolved.overtaken = q.resolved.Overtaken
		enough := len(q.resolved.Shown) >= q.req.K || !q.found.more() || q.found.depth >= cfg.MaxOverfetch
		if late || enough {
			if swapped {
				q.degrade("stores: one was exchanged for another while it was asked, so that passages may be missing: ask again")
			}
			return nil
		}
		q.found.depth = min(4*q.found.depth, cfg.MaxOverfetch)
	}
}

// lose notes the stage at which a passage was left out, where that was asked
// for.
func (q *search) lose(s *resolve.Shown, stage, why string) {
	if q.explains {
		q.resolved.lose(s, stage, why)
	}
}

func note(when bool, format string, args ...any) string {
	if !when {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// milliseconds has a resolution of a microsecond.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
