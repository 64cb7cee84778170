package bus

import (
	"context"
	"errors"
)

func (r *runner) failedHere(seq uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tries[seq] > 0
}

// settle does to a message what its error asks for. An effect comes before
// its acknowledgement, always.
func (r *runner) settle(ctx context.Context, h *held, err error) {
	switch {
	case err == nil:
		r.forget(h)
		if err := r.b.clearDead(ctx, r.w.Stage, h.msg); err != nil {
			r.w.Log.Warn("dead letter not cleared", "worker", r.w.Name, "subject", h.msg.Subject, "error", err)
		}
		_ = h.js.Ack()
	case errors.Is(err, context.Canceled):
		r.note(h.msg.Seq, 0)
		r.giveBack(h, 0)
	case isStoreWide(err):
		r.note(h.msg.Seq, 0)
		r.pause(ctx, err)
		r.giveBack(h, probeFirst)
	default:
		tries := r.note(h.msg.Seq, 1)
		if !isPermanent(err) && tries < r.w.MaxTries {
			r.w.Log.Warn("will try again", "worker", r.w.Name, "subject", h.msg.Subject, "tries", tries, "error", err)
			r.giveBack(h, min(retryFirst<<min(tries-1, 20), retryMost))
			return
		}
		if berr := r.b.bury(ctx, r.w.Stage, h.msg, err, tries); berr != nil {
			r.w.Log.Error("dead letter not written", "worker", r.w.Name, "subject", h.msg.Subject, "error", berr)
			r.giveBack(h, retryFirst)
			return
		}
		r.w.Log.Error("gave up", "worker", r.w.Name, "subject", h.msg.Subject, "tries", tries, "error", err)
		r.forget(h)
		_ = h.js.Term()
	}
}

// note counts a failure and returns how many there were; a message that is
// given back without fault counts as known, so that its next delivery is not
// taken for a death.
func (r *runner) note(seq uint64, failures int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.tries[seq]
	if n == 0 {
		n = 1 // known here
	}
	n += failures
	r.tries[seq] = n
	return n - 1
}

func (r *runner) forget(h *held) {
	r.keeper.remove(h.lease)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tries, h.msg.Seq)
}
