package bus

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// rests are the pauses of a worker, one at a time.
type rests struct {
	paused atomic.Bool
	mu     sync.Mutex
	resume chan struct{} // closed when a pause ends
}

// begin begins a pause; false where there is one.
func (r *rests) begin() bool { return r.paused.CompareAndSwap(false, true) }

// end ends the pause, and lets everybody go on.
func (r *rests) end() {
	r.mu.Lock()
	resume := r.resume
	r.resume = make(chan struct{})
	r.mu.Unlock()
	r.paused.Store(false)
	close(resume)
}

// wait waits until there is no pause.
func (r *rests) wait(ctx context.Context) error {
	for r.paused.Load() {
		r.mu.Lock()
		resume := r.resume
		r.mu.Unlock()
		if !r.paused.Load() {
			return nil
		}
		select {
		case <-resume:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// pause stops all work of this worker until the log has room and the probe
// succeeds.
func (r *runner) pause(ctx context.Context, cause error) {
	if !r.rests.begin() {
		return
	}
	r.w.Log.Warn("paused", "worker", r.w.Name, "error", cause)
	r.b.wg.Go(func() {
		wait := probeFirst
		for ctx.Err() == nil {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
			if ctx.Err() == nil && r.b.Room().For(0) == nil && r.w.Probe(ctx) == nil {
				break
			}
			wait = min(2*wait, probeMost)
		}
		r.rests.end()
		r.w.Log.Info("resumed", "worker", r.w.Name)
	})
}
