package bus

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// nudgeGrace is how long the delivery of a live change is put off: its nudge is
// being handled meanwhile, perhaps by another process, and then nothing is left
// to do. Where the nudge was lost, the change comes later by so much at each
// stage.
const nudgeGrace = 250 * time.Millisecond

// putOff holds back deliveries of live changes, at most a batch of them at once:
// a burst of changes is more than the reserved worker can do alone.
type putOff struct {
	r       *runner
	waiting chan struct{}
	feeding *errgroup.Group
}

func newPutOff(r *runner, feeding *errgroup.Group) *putOff {
	return &putOff{r: r, waiting: make(chan struct{}, r.w.Batch), feeding: feeding}
}

// take puts a delivery off; false when it is to be handled now.
func (p *putOff) take(ctx context.Context, h *held) bool {
	if h.deliveries > 1 || h.msg.Header.Get(contract.HeaderLive) == "" {
		return false
	}
	select {
	case p.waiting <- struct{}{}:
	default:
		return false
	}
	p.feeding.Go(func() error {
		defer func() { <-p.waiting }()
		t := time.NewTimer(nudgeGrace)
		defer t.Stop()
		select {
		case <-t.C:
			p.r.enqueue(ctx, h)
		case <-ctx.Done():
			p.r.giveBack(h, 0)
		}
		return nil
	})
	return true
}
