package indexer

import (
	"context"
	"sync"
)

// running knows the batches that are being handled. Between its publish and
// its drop a batch leaves chunks in the store that INDEXED no longer lists;
// only what outlives the batches that run now is an orphan.
type running struct {
	mu      sync.Mutex
	batches map[chan struct{}]bool
}

// begin notes a batch; the caller calls end when it is done.
func (r *running) begin() (end func()) {
	done := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.batches == nil {
		r.batches = map[chan struct{}]bool{}
	}
	r.batches[done] = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.batches, done)
		close(done)
	}
}

// wait returns when every batch that runs at the call has ended, or ctx has.
func (r *running) wait(ctx context.Context) error {
	r.mu.Lock()
	batches := make([]chan struct{}, 0, len(r.batches))
	for done := range r.batches {
		batches = append(batches, done)
	}
	r.mu.Unlock()
	for _, done := range batches {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
