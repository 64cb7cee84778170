package query

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/learned"
)

// learning is the learned reranker that the log keeps, as far as this process
// knows. It is safe for concurrent use.
type learning struct {
	weights config.Ranking
	present atomic.Pointer[modelState]

	mu      sync.Mutex
	changed chan struct{} // closed and made again when present changes
}

// modelState is what it is at one revision.
type modelState struct {
	revision uint64
	model    *learned.Model          // nil: there is none, or it cannot be used
	state    *contract.RerankerState // nil: there is none
}

func newLearning(weights config.Ranking) *learning {
	return &learning{weights: weights, changed: make(chan struct{})}
}

// follow takes what the bucket of models has, and every change, until ctx ends.
func (l *learning) follow(ctx context.Context, models bus.Bucket) {
	models.Follow(ctx, contract.ModelReranker,
		func(e bus.Entry) { l.take(e.Value, e.Revision) },
		func(entries int) {
			if entries == 0 {
				l.take(nil, 0)
			}
		})
}

// take reads what the log keeps now; a revision of 0 says that there was never
// anything.
func (l *learning) take(raw []byte, revision uint64) {
	next := &modelState{revision: revision}
	if len(raw) > 0 {
		next.model, next.state = l.read(raw)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.present.Store(next)
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *learning) read(raw []byte) (*learned.Model, *contract.RerankerState) {
	r, err := learned.Parse(raw)
	if err != nil {
		return nil, &contract.RerankerState{Trouble: err.Error(), Actions: document.ActionsOf(err)}
	}
	state := &contract.RerankerState{
		Trained: r.Trained, Trees: len(r.Trees), Passages: r.Passages, Weight: r.Weight, Merit: r.Merit,
	}
	m, err := learned.New(r, l.weights)
	if err != nil {
		state.Trouble, state.Actions = err.Error(), document.ActionsOf(err)
	}
	return m, state
}

// reach waits until a revision is known here.
func (l *learning) reach(ctx context.Context, revision uint64) error {
	for {
		l.mu.Lock()
		changed := l.changed
		l.mu.Unlock()
		if now := l.present.Load(); now != nil && now.revision >= revision {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the bucket of models: %w", ctx.Err())
		}
	}
}

// state is what is served; nil for nothing.
func (l *learning) state() *contract.RerankerState {
	if now := l.present.Load(); now != nil {
		return now.state
	}
	return nil
}
