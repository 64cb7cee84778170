package query

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/learned"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// learning is the learned reranker that the log keeps, as far as this process
// knows. It is safe for concurrent use.
type learning struct {
	weights config.Ranking
	present atomic.Pointer[lesson]

	mu      sync.Mutex
	changed chan struct{} // closed and made again when present changes
}

// lesson is one state of it.
type lesson struct {
	revision uint64
	model    *learned.Model          // nil: there is none, or it cannot be used
	state    *contract.RerankerState // nil: there is none
}

func newLearning(weights config.Ranking) *learning {
	return &learning{weights: weights, changed: make(chan struct{})}
}

// take reads what the log keeps now.
func (l *learning) take(raw []byte, revision uint64) {
	next := &lesson{revision: revision}
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
		return nil, &contract.RerankerState{Trouble: err.Error()}
	}
	state := &contract.RerankerState{
		Trained: r.Trained, Trees: len(r.Trees), Passages: r.Passages, Weight: r.Weight, Merit: r.Merit,
	}
	m, err := learned.New(r, l.weights)
	if err != nil {
		state.Trouble = err.Error()
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

// relearn puts the best candidates into the order that the served model and the
// signals make together. Where there is a model that cannot be used, the order
// stays, and the answer says why.
func (q *search) relearn() {
	now := q.learned.present.Load()
	if now == nil || now.state == nil {
		return
	}
	start := time.Now()
	n := len(q.ranked)
	switch {
	case q.req.Off(request.OffLearned):
		q.trace("learned", start, n, n, "off")
	case now.model == nil:
		q.degradeOnce("learned: " + strings.TrimRight(now.state.Trouble, ".") + "; the order is that of the signals")
		q.trace("learned", start, n, n, "failed")
	case !q.whole():
		q.trace("learned", start, n, n, "left out: it knows the order of both indexes with all signals")
	case !now.model.Knows(q.query.Class):
		q.trace("learned", start, n, n, fmt.Sprintf("left out: it was not trained on questions of the class %s", q.query.Class))
	default:
		moved := now.model.Rerank(q.ranked, q.query)
		q.trace("learned", start, n, n, fmt.Sprintf("%d trees, %d moved", now.state.Trees, moved))
	}
}

// whole reports whether the order is of the kind that a model is trained on.
func (q *search) whole() bool {
	for _, stage := range []string{request.OffLexical, request.OffVector, request.OffSignals} {
		if q.req.Off(stage) {
			return false
		}
	}
	return !q.found.lexicalDown && !q.found.vectorDown
}
