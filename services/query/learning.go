package query

import (
	"sync"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/learned"
)

// learning is the learned reranker that the log keeps. It is safe for concurrent use.
type learning struct {
	followed[modelState]

	mu      sync.Mutex
	weights config.Ranking // in force
	raw     []byte
	revised uint64 // the revision of raw
	read    bool   // both are
}

// modelState is what it is at one revision, behind some weights.
type modelState struct {
	weights config.Ranking
	model   *learned.Model          // nil: there is none, or it cannot be used
	state   *contract.RerankerState // nil: there is none
}

func newLearning(weights config.Ranking) *learning {
	return &learning{followed: newFollowed[modelState](), weights: weights}
}

// take reads what the log keeps now.
func (l *learning) take(raw []byte, revision uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.raw, l.revised, l.read = raw, revision, true
	l.renew()
}

// weigh has other weights be in force, behind which a model may be of no use.
func (l *learning) weigh(weights config.Ranking) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.weights = weights; l.read {
		l.renew()
	}
}

// renew runs under mu.
func (l *learning) renew() {
	next := &modelState{weights: l.weights}
	if len(l.raw) > 0 {
		next.model, next.state = modelOfRaw(l.raw, l.weights)
	}
	l.set(next, l.revised)
}

func modelOfRaw(raw []byte, weights config.Ranking) (*learned.Model, *contract.RerankerState) {
	r, err := learned.Parse(raw)
	if err != nil {
		return nil, &contract.RerankerState{Trouble: err.Error(), Actions: document.ActionsOf(err)}
	}
	state := &contract.RerankerState{
		Trained: r.Trained, Trees: len(r.Trees), Passages: r.Passages, Weight: r.Weight, Merit: r.Merit,
	}
	m, err := learned.New(r, weights)
	if err != nil {
		state.Trouble, state.Actions = err.Error(), document.ActionsOf(err)
	}
	return m, state
}

// state is what is served; nil for nothing.
func (l *learning) state() *contract.RerankerState {
	if now := l.now(); now != nil {
		return now.state
	}
	return nil
}
