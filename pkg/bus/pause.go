package bus

import (
	"context"
	"time"
)

// pause stops all work of this worker until the log has room and the probe
// succeeds.
func (r *runner) pause(ctx context.Context, cause error) {
	if !r.paused.CompareAndSwap(false, true) {
		return
	}
	r.pauseMu.Lock()
	resume := r.resume
	r.pauseMu.Unlock()
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
		r.pauseMu.Lock()
		r.resume = make(chan struct{})
		r.pauseMu.Unlock()
		r.paused.Store(false)
		close(resume)
		r.w.Log.Info("resumed", "worker", r.w.Name)
	})
}

func (r *runner) awaitResume(ctx context.Context) error {
	for r.paused.Load() {
		r.pauseMu.Lock()
		resume := r.resume
		r.pauseMu.Unlock()
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
