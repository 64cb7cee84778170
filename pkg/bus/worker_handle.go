package bus

import (
	"context"
	"fmt"
	"runtime/debug"
)

// handle runs the handler over a batch and settles every message. Messages
// that come again without having been given back are handled one by one, so
// that the one that ends its worker is found. What is in hand already waits for
// the others.
func (r *runner) handle(ctx context.Context, batch []*held) {
	var later []*held
	fresh := batch[:0:len(batch)]
	for _, h := range batch {
		suspect := r.suspect(h)
		switch {
		case !r.hand.begin(h.msg):
			later = append(later, h)
		case suspect:
			r.handleSuspect(ctx, h)
			r.hand.end(h.msg)
		default:
			fresh = append(fresh, h)
		}
	}
	if len(fresh) > 0 {
		r.handleFresh(ctx, fresh)
	}
	for _, h := range later {
		if r.hand.await(ctx, h.msg); ctx.Err() != nil {
			r.settle(ctx, h, ctx.Err())
			continue
		}
		r.handle(ctx, []*held{h})
	}
}

// suspect reports whether a worker may have died of a message: it comes again,
// and nobody here gave it back or has lived through it. What this process has
// in hand comes again, too, where its lease was not kept in time.
func (r *runner) suspect(h *held) bool {
	return h.deliveries > 1 && !r.failures.known(h.msg.Seq) && r.hand.handledSeq(h.msg.Subject) < h.msg.Seq
}

func (r *runner) handleFresh(ctx context.Context, fresh []*held) {
	defer func() {
		for _, h := range fresh {
			r.hand.end(h.msg)
		}
	}()
	errs, panicked := r.call(ctx, fresh)
	if panicked && len(fresh) > 1 {
		for _, h := range fresh {
			errs, _ := r.call(ctx, []*held{h})
			r.settle(ctx, h, errs[0])
		}
		return
	}
	for i, h := range fresh {
		r.settle(ctx, h, errs[i])
	}
}

func (r *runner) handleSuspect(ctx context.Context, h *held) {
	deaths, err := r.suspects.begin(ctx, r.w.Name, h.msg.Seq)
	switch {
	case err != nil:
		r.settle(ctx, h, StoreWide(err))
		return
	case deaths >= deathsUntilDead:
		err = Permanent(&killedError{deaths})
	default:
		h.msg.Suspect = deaths >= deathsUntilSuspect
		errs, _ := r.call(ctx, []*held{h})
		err = errs[0]
	}
	r.settle(ctx, h, err)
	// A worker that is told to stop did not die with the message.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainGrace)
	defer cancel()
	if err := r.suspects.end(ending, r.w.Name, h.msg.Seq); err != nil {
		r.w.Log.Warn("mark not removed", "worker", r.w.Name, "error", err)
	}
}

func (r *runner) call(ctx context.Context, batch []*held) (errs []error, panicked bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	msgs := make([]*Msg, len(batch))
	for i, h := range batch {
		msgs[i] = h.msg
		h.lease.begin(cancel)
	}
	return r.invoke(ctx, msgs)
}

func (r *runner) invoke(ctx context.Context, msgs []*Msg) (errs []error, panicked bool) {
	defer func() {
		if v := recover(); v != nil {
			panicked = true
			errs = make([]error, len(msgs))
			for i := range errs {
				errs[i] = &panicError{v}
			}
			r.w.Log.Error("handler panicked", "worker", r.w.Name, "panic", v, "stack", string(debug.Stack()))
		}
	}()
	errs = r.w.Handle(ctx, msgs)
	if len(errs) != len(msgs) {
		panic(fmt.Sprintf("%d results for %d messages", len(errs), len(msgs)))
	}
	for _, err := range errs {
		TellUnread(r.b, err)
	}
	return errs, false
}
