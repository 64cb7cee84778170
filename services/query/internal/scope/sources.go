// Package scope knows which sources are watched, and so belong to an answer
// that names none.
package scope

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// maxAge is how old the list may be for a query that asks for no token.
	maxAge = time.Second
	// askFor bounds the wait for the watcher. A watcher that does not answer
	// is down; then every source counts.
	askFor = 250 * time.Millisecond
	// askAgain is how long a watcher that did not answer is left alone.
	askAgain = 2 * time.Second
)

// Sources asks the watcher for its list and keeps it for a second. It is safe
// for concurrent use.
type Sources struct {
	nc *nats.Conn

	mu      sync.Mutex
	list    []contract.SourceInfo
	known   bool
	at      time.Time // when the request for list was sent
	running *request
}

type request struct {
	at   time.Time
	done chan struct{}
}

// New returns Sources that ask over nc.
func New(nc *nats.Conn) *Sources { return &Sources{nc: nc} }

// Watched returns the watched sources in order; known is false when no watcher
// answers, and then every source counts. With asOf set the list is not older
// than that moment. seen are the sources that the log has: a list that lacks
// one of them may be from before it was added, so it is read again.
func (s *Sources) Watched(ctx context.Context, asOf time.Time, seen []document.Source) (list []document.Source, known bool) {
	s.mu.Lock()
	oldest := time.Now().Add(-maxAge)
	if !s.known {
		oldest = time.Now().Add(-askAgain)
	}
	stale := s.at.Before(oldest) || !asOf.IsZero() && s.known && s.at.Before(asOf) ||
		s.known && s.at.Before(time.Now().Add(-maxAge/10)) && s.lacks(seen)
	if !stale {
		defer s.mu.Unlock()
		return s.watched(), s.known
	}
	r := s.running
	if r == nil || r.at.Before(asOf) {
		r = &request{at: time.Now(), done: make(chan struct{})}
		s.running = r
		s.mu.Unlock()
		s.ask(ctx, r)
	} else {
		s.mu.Unlock()
		select {
		case <-r.done:
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watched(), s.known
}

// ask reads the list. It runs in the goroutine of the query that needs it, so
// that nobody else has to own it, but not under its deadline: others share the
// outcome.
func (s *Sources) ask(ctx context.Context, r *request) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askFor)
	defer cancel()
	reply, err := bus.Call[struct{}, contract.SourceList](ctx, s.nc, contract.SubjectSourcesList, struct{}{})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == r {
		s.running = nil
	}
	if r.at.After(s.at) {
		s.at, s.list, s.known = r.at, reply.Sources, err == nil
	}
	close(r.done)
}

func (s *Sources) lacks(seen []document.Source) bool {
	return slices.ContainsFunc(seen, func(name document.Source) bool {
		return !slices.ContainsFunc(s.list, func(i contract.SourceInfo) bool { return i.Source == name })
	})
}

func (s *Sources) watched() []document.Source {
	var out []document.Source
	for _, i := range s.list {
		if i.Watched {
			out = append(out, i.Source)
		}
	}
	slices.Sort(out)
	return out
}
