package query

import (
	"context"
	"fmt"
	"sync"

	"github.com/freshet-dev/freshet/pkg/bus"
)

// followed is what the log keeps under a key of the bucket of models, as far as this
// process knows. It is safe for concurrent use.
type followed[T any] struct {
	mu      sync.Mutex
	present *T
	at      uint64        // its revision; 0 says that there was never anything
	changed chan struct{} // closed and made again when present changes
}

func newFollowed[T any]() followed[T] { return followed[T]{changed: make(chan struct{})} }

// now is what is known; nil before anything is.
func (f *followed[T]) now() *T {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.present
}

// revision is that of what is known; 0 before anything is.
func (f *followed[T]) revision() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

// set takes what is kept at a revision.
func (f *followed[T]) set(next *T, revision uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.present, f.at = next, revision
	close(f.changed)
	f.changed = make(chan struct{})
}

// reach waits until a revision is known here.
func (f *followed[T]) reach(ctx context.Context, revision uint64) error {
	for {
		f.mu.Lock()
		known, changed := f.present != nil && f.at >= revision, f.changed
		f.mu.Unlock()
		if known {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the bucket of models: %w", ctx.Err())
		}
	}
}

// follow gives take what the bucket of models has under a key, and every change, until
// ctx ends; nothing, with a revision of 0, where there was never anything.
func follow(ctx context.Context, models bus.Bucket, key string, take func(raw []byte, revision uint64)) {
	models.Follow(ctx, key,
		func(e bus.Entry) { take(e.Value, e.Revision) },
		func(entries int) {
			if entries == 0 {
				take(nil, 0)
			}
		})
}
