package bus

import (
	"context"
	"sync"
)

// rememberHandled is for how many subjects a worker knows that it has handled
// them: a head table lags behind by fewer messages.
const rememberHandled = 4096

// inHand keeps a worker from handling a subject twice at the same time: a live
// change is nudged, and its durable delivery follows at once. It is safe for
// concurrent use.
type inHand struct {
	mu      sync.Mutex
	busy    map[string]chan struct{} // closed when the handling has ended
	handled map[string]uint64        // the newest sequence
	order   []string                 // of handled, a ring
	next    int
}

func newInHand() *inHand {
	return &inHand{busy: map[string]chan struct{}{}, handled: map[string]uint64{}, order: make([]string, rememberHandled)}
}

// begin takes a message's subject in hand; false when somebody has it.
func (h *inHand) begin(m *Msg) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy[m.Subject] != nil {
		return false
	}
	h.busy[m.Subject] = make(chan struct{})
	m.Again = h.handled[m.Subject] > 0
	return true
}

// end lets go of the subjects of messages that begin took.
func (h *inHand) end(msgs ...*Msg) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range msgs {
		close(h.busy[m.Subject])
		delete(h.busy, m.Subject)
		if seq := h.handled[m.Subject]; seq > 0 {
			h.handled[m.Subject] = max(seq, m.Seq)
			continue
		}
		delete(h.handled, h.order[h.next])
		h.handled[m.Subject], h.order[h.next] = m.Seq, m.Subject
		h.next = (h.next + 1) % len(h.order)
	}
}

// handledSeq is the newest sequence of a subject that is known to have been
// handled here; 0 for none.
func (h *inHand) handledSeq(subject string) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.handled[subject]
}

// await waits until nobody has a message's subject in hand.
func (h *inHand) await(ctx context.Context, m *Msg) {
	h.mu.Lock()
	busy := h.busy[m.Subject]
	h.mu.Unlock()
	if busy == nil {
		return
	}
	select {
	case <-busy:
	case <-ctx.Done():
	}
}
