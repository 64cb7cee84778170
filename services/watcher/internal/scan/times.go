package scan

import (
	"sync"
	"time"
)

// racy is how long before a read a file must have changed last, so that a
// change after it cannot hide behind the same time stamp: the coarsest file
// systems count in two seconds.
const racy = 2 * time.Second

// settled returns a change time as far as it can be relied on by whoever began
// to read at a time; zero else.
func settled(changed, read time.Time) time.Time {
	if changed.Before(read.Add(-racy)) {
		return changed
	}
	return time.Time{}
}

// Systems remembers which file systems keep a change time that nobody can set,
// by device. Devices are numbered anew when something else is mounted, so one
// lives no longer than a comparison. It is safe for concurrent use; a nil
// Systems remembers nothing.
type Systems struct {
	mu    sync.Mutex
	known map[uint64]bool
}

// reliable reports whether the change times on a device can be relied on; path
// is a file there. Where that cannot be told, they cannot.
func (s *Systems) reliable(device uint64, path string) bool {
	if s == nil {
		return keepsTimes(path)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ok, known := s.known[device]
	if !known {
		ok = keepsTimes(path)
		if s.known == nil {
			s.known = map[uint64]bool{}
		}
		s.known[device] = ok
	}
	return ok
}
