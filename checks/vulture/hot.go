package vulture

import "sync"

// hot holds the questions that are most likely to be answered wrong now. The
// newest is asked first, since it is about the youngest token; where readers
// do not keep up, the oldest falls away. It is safe for concurrent use.
type hot struct {
	mu   sync.Mutex
	list []question
	more chan struct{} // holds one signal while the list may have something
}

// maxHot is how many questions wait for a reader.
const maxHot = 64

func newHot() *hot { return &hot{more: make(chan struct{}, 1)} }

func (h *hot) push(q question) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.list) == maxHot {
		h.list = h.list[1:]
	}
	h.list = append(h.list, q)
	h.signal()
}

// pop returns the newest question.
func (h *hot) pop() (question, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(h.list)
	if n == 0 {
		return question{}, false
	}
	q := h.list[n-1]
	h.list = h.list[:n-1]
	if n > 1 {
		h.signal() // for the next reader
	}
	return q, true
}

func (h *hot) signal() {
	select {
	case h.more <- struct{}{}:
	default:
	}
}
