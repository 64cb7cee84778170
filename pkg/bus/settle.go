package bus

import (
	"context"
	"errors"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
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
		if err := r.clear(ctx, h); err != nil {
			// Handling it again is cheap, a letter that stays would be a lie.
			r.w.Log.Warn("dead letter not cleared", "worker", r.w.Name, "subject", h.msg.Subject, "error", err)
			r.note(h.msg.Seq, 0)
			r.giveBack(h, r.patience(h.msg.Seq))
			return
		}
		r.forget(h)
		_ = h.js.Ack()
	case errors.Is(err, context.Canceled):
		r.note(h.msg.Seq, 0)
		r.giveBack(h, 0)
	case Passing(err):
		r.note(h.msg.Seq, 0)
		r.pause(ctx, err)
		r.giveBack(h, r.patience(h.msg.Seq))
	default:
		tries := r.note(h.msg.Seq, 1)
		if !isPermanent(err) && tries < r.w.MaxTries {
			r.w.Log.Warn("will try again", "worker", r.w.Name, "subject", h.msg.Subject, "tries", tries, "error", err)
			r.giveBack(h, min(retryFirst<<min(tries-1, 20), retryMost))
			return
		}
		if berr := r.bury(ctx, h, err, tries); berr != nil {
			r.w.Log.Error("dead letter not written", "worker", r.w.Name, "subject", h.msg.Subject, "error", berr)
			r.giveBack(h, retryFirst)
			return
		}
		r.w.Log.Error("gave up", "worker", r.w.Name, "subject", h.msg.Subject, "tries", tries, "error", err)
		r.forget(h)
		_ = h.js.Term()
	}
}

// bury writes a dead letter. Its time is limited, as that of clear: an answer
// that a lost connection took along would hold up the worker for ever.
func (r *runner) bury(ctx context.Context, h *held, reason error, tries int) error {
	ctx, cancel := context.WithTimeout(ctx, r.w.Lease)
	defer cancel()
	return r.b.Letters().bury(ctx, r.w.Stage, h.msg, reason, tries)
}

// clear takes a message that was handled out of the dead letters. A retry does
// not ask the head table, which may not know of the letter yet.
func (r *runner) clear(ctx context.Context, h *held) error {
	ctx, cancel := context.WithTimeout(ctx, r.w.Lease)
	defer cancel()
	if h.letter == nil {
		return r.b.Letters().clear(ctx, r.w.Stage, h.msg)
	}
	k, err := contract.ParseSubject(h.msg.Subject)
	if err != nil {
		return err
	}
	covers, err := coversOf(k, h.msg)
	if err != nil {
		return err
	}
	return r.b.Letters().clearOne(ctx, *h.letter, covers)
}

// patience is how long a message waits that met trouble which is not its own:
// longer each time, or one that always meets some would hold up all others.
func (r *runner) patience(seq uint64) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.waits[seq]
	r.waits[seq] = n + 1
	return min(probeFirst<<min(n, 20), probeMost)
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
	delete(r.waits, h.msg.Seq)
}
