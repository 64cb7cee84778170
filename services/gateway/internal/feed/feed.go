// Package feed tells many listeners the same news.
package feed

import "sync"

// Event is one piece of news.
type Event struct {
	Name string
	Data []byte // JSON
}

// kept is how many events a listener may be behind.
const kept = 512

// Feed is safe for concurrent use; the zero value may be used.
type Feed struct {
	mu        sync.Mutex
	listeners map[*Listener]struct{}
}

// Listener hears what is told after it came.
type Listener struct {
	// C has the events in order.
	C    chan Event
	name string
	lost bool // guarded by the feed
}

// Listen hears the events of a name until Leave.
func (f *Feed) Listen(name string) *Listener {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listeners == nil {
		f.listeners = map[*Listener]struct{}{}
	}
	l := &Listener{C: make(chan Event, kept), name: name}
	f.listeners[l] = struct{}{}
	return l
}

// Leave ends a listener.
func (f *Feed) Leave(l *Listener) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.listeners, l)
}

// Hears reports whether somebody listens to a name.
func (f *Feed) Hears(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for l := range f.listeners {
		if l.name == name {
			return true
		}
	}
	return false
}

// Tell tells everybody who listens, and waits for nobody: who is too far behind
// misses it, and is told so.
func (f *Feed) Tell(e Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for l := range f.listeners {
		if l.name != e.Name {
			continue
		}
		select {
		case l.C <- e:
		default:
			l.lost = true
		}
	}
}

// Lost reports whether a listener missed something since it was asked last.
func (f *Feed) Lost(l *Listener) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	lost := l.lost
	l.lost = false
	return lost
}
