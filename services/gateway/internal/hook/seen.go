package hook

import (
	"crypto/sha256"
	"maps"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// What was answered is remembered that long, and no more than so many: one push a
// second for some hours.
const (
	seenFor  = 24 * time.Hour
	seenMost = 20_000
)

// seen remembers what was answered; the zero value may be used.
type seen struct {
	mu sync.Mutex
	at map[[sha256.Size]byte]time.Time
}

// Once lets an event in that was not answered before; the error is a Conflict. Whoever
// does not come to answer it takes it back, so that it may be sent again.
func (h *Hook) Once(e Event) (takeBack func(), err error) {
	h.seen.mu.Lock()
	defer h.seen.mu.Unlock()
	now := h.now()
	if at, known := h.seen.at[e.id]; known && now.Sub(at) < seenFor {
		return nil, document.Errorf(document.Conflict, "this webhook was answered before")
	}
	if h.seen.at == nil {
		h.seen.at = map[[sha256.Size]byte]time.Time{}
	}
	if len(h.seen.at) >= seenMost {
		h.seen.forget(now)
	}
	h.seen.at[e.id] = now
	return func() {
		h.seen.mu.Lock()
		defer h.seen.mu.Unlock()
		delete(h.seen.at, e.id)
	}, nil
}

// forget makes room: what is too old goes, else the older half.
func (s *seen) forget(now time.Time) {
	oldest := now
	for _, at := range s.at {
		if at.Before(oldest) {
			oldest = at
		}
	}
	until := now.Add(-seenFor)
	if half := oldest.Add(now.Sub(oldest) / 2); half.After(until) {
		until = half
	}
	maps.DeleteFunc(s.at, func(_ [sha256.Size]byte, at time.Time) bool { return !at.After(until) })
}
