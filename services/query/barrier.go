package query

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// grace is what the stages behind the barrier have at least when it used up the
// time: a late answer that names what is pending is worth more than none.
const grace = 250 * time.Millisecond

// awaitToken is the stage that waits until the index includes the log as it was at
// arrival, and then, for a token, until what it stands for is settled. What is
// pending then is noted before the sinks are asked: whatever is not in the list is
// in them.
func awaitToken(ctx context.Context, q *search) (report, error) {
	if err := q.arrive(ctx); err != nil {
		return report{}, err
	}
	note := settle(ctx, q)
	return report{out: len(q.listing.Pending) + q.listing.More, note: note}, nil
}

// settle waits for the token, and notes what no sink can be expected to show
// yet.
func settle(ctx context.Context, q *search) (note string) {
	token := q.token
	if skipBarrier {
		token = 0
	}
	until, cancel := context.WithDeadline(ctx, q.arrived.Add(q.scope.Deadline-q.reserve()))
	defer cancel()
	// Twice the documents that can be searched: some are deletions.
	q.listing = q.service.index.Settle(until, token, q.settling(), max(2*q.service.cfg.PendingDocuments, q.service.cfg.Listed))
	switch {
	case token == 0:
		return ""
	case q.listing.Settled:
		return "settled"
	}
	q.service.counters.barrierMissed.Add(1)
	q.deadline = later(q.deadline, time.Now().Add(grace))
	return "deadline"
}

// catchUp notes again what is pending, after versions that came while the
// sinks were asked; what was found of these documents may be gone, and what
// replaces it has to be looked for.
func catchUp(ctx context.Context, q *search) error {
	if err := q.include(ctx, q.resolved.Seen); err != nil {
		return err
	}
	settle(ctx, q)
	q.found.asked, q.found.hasRead = false, false
	return nil
}

// exchanged reports whether a store has another id than the one of which it was noted
// what it does not hold.
func exchanged(q *search) bool {
	for _, g := range q.service.stores.Generations() {
		for _, sink := range document.Sinks {
			if q.recordOf(g, sink).Store != q.listing.Store(g, sink) {
				return true
			}
		}
	}
	return false
}

// listAgain notes what is pending in the stores that are there now, and forgets which
// of them did not answer.
func listAgain(ctx context.Context, q *search) error {
	if err := q.include(ctx, q.last); err != nil {
		return err
	}
	settle(ctx, q)
	f := &q.found
	f.asked, f.hasRead, f.fellBack, f.lexicalDown, f.vectorDown = false, false, false, false, false
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
