package watcher

import (
	"context"
	"sync"

	"github.com/freshet-dev/freshet/pkg/document"
)

// life is how long a source goes on: its goroutines and the requests that use it
// belong to it, and its end waits for them. It is safe for concurrent use.
type life struct {
	ctx    context.Context // ends with it; nil where nothing runs by itself
	cancel context.CancelFunc

	mu   sync.Mutex
	over bool
	wg   sync.WaitGroup
}

var errStopped = document.Errorf(document.Unavailable, "the source is being stopped: ask again")

func newLife(ctx context.Context) *life {
	l := &life{}
	l.ctx, l.cancel = context.WithCancel(ctx)
	return l
}

// begin holds off the end; the caller calls end. The error is Unavailable.
func (l *life) begin() (end func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil, errStopped
	}
	l.wg.Add(1)
	return l.wg.Done, nil
}

// run runs fn by itself, unless the life is over. The error is Unavailable.
func (l *life) run(fn func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return errStopped
	}
	l.wg.Go(fn)
	return nil
}

// isOver reports whether the end has begun.
func (l *life) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// end ends what runs and waits for it.
func (l *life) end() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.cancel()
	l.wg.Wait()
}
