package bus

import (
	"sync"
	"time"
)

// failures are what a worker's process knows of messages that it gave back.
type failures struct {
	mu    sync.Mutex
	tries map[uint64]int // failures by sequence, of this process
	waits map[uint64]int // times that a message was given back without fault
}

// known reports whether a message was given back here before.
func (f *failures) known(seq uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tries[seq] > 0
}

// patience is how long a message waits that met trouble which is not its own:
// longer each time, or one that always meets some would hold up all others.
func (f *failures) patience(seq uint64) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.waits[seq]
	f.waits[seq] = n + 1
	return min(probeFirst<<min(n, 20), probeMost)
}

// note counts a failure and returns how many there were; a message that is
// given back without fault counts as known, so that its next delivery is not
// taken for a death.
func (f *failures) note(seq uint64, failures int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.tries[seq]
	if n == 0 {
		n = 1 // known here
	}
	n += failures
	f.tries[seq] = n
	return n - 1
}

// forget drops a message that is done.
func (f *failures) forget(seq uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.tries, seq)
	delete(f.waits, seq)
}
