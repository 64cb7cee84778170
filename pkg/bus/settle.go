package bus

import (
	"context"
	"errors"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// settle does to a message what its error asks for. An effect comes before
// its acknowledgement, always.
func (r *runner) settle(ctx context.Context, h *held, err error) {
	switch {
	case err == nil:
		if err := r.clear(ctx, h); err != nil {
			// Handling it again is cheap, a letter that stays would be a lie.
			r.w.Log.Warn("dead letter not cleared", "worker", r.w.Name, "subject", h.msg.Subject, "error", err)
			r.failures.note(h.msg.Seq, 0)
			r.giveBack(h, r.failures.patience(h.msg.Seq))
			return
		}
		r.forget(h)
		_ = h.js.Ack()
	case errors.Is(err, context.Canceled):
		r.failures.note(h.msg.Seq, 0)
		r.giveBack(h, 0)
	case Passing(err):
		r.failures.note(h.msg.Seq, 0)
		r.pause(ctx, err)
		r.giveBack(h, r.failures.patience(h.msg.Seq))
	default:
		tries := r.failures.note(h.msg.Seq, 1)
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
	return DeadLettersOf(r.b).bury(ctx, r.w, h.msg, reason, tries)
}

// clear takes a message that was handled out of the dead letters. A retry does
// not ask the head table, which may not know of the letter yet.
func (r *runner) clear(ctx context.Context, h *held) error {
	ctx, cancel := context.WithTimeout(ctx, r.w.Lease)
	defer cancel()
	if h.letter == nil {
		return DeadLettersOf(r.b).clear(ctx, r.w, h.msg)
	}
	k, err := contract.ParseSubject(h.msg.Subject)
	if err != nil {
		return err
	}
	covers, err := coversOf(k, h.msg)
	if err != nil {
		return err
	}
	return DeadLettersOf(r.b).clearOne(ctx, *h.letter, covers)
}

func (r *runner) forget(h *held) {
	r.keeper.remove(h.lease)
	r.failures.forget(h.msg.Seq)
}
