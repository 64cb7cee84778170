package watch

import (
	"strings"
	"sync"
	"time"
)

// debounce holds back changed paths until they have been quiet for a while, or
// have waited as long as they may. It belongs to one goroutine; only since may
// be called by others.
type debounce struct {
	quiet   time.Duration // after the last event of a path
	ceiling time.Duration // after the first

	mu      sync.Mutex
	pending map[string]*waiting
}

type waiting struct {
	first, last time.Time
	tree        bool
	away        bool // what had the name has another one now, perhaps
	event       bool // not only polled
}

// slack lets paths that fall due almost together go out together. What was
// renamed waits as long again, since on a busy machine more time may pass
// between the events of its two names: the new one is to be written before the
// old one is deleted.
const slack = 10 * time.Millisecond

// add notes an event of a path.
func (d *debounce) add(path string, tree, away bool, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.waitLocked(path, now)
	w.tree = w.tree || tree
	w.away, w.event = away, true
}

// poll notes that a directory has to be looked at.
func (d *debounce) poll(path string, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.waitLocked(path, now)
	w.tree, w.away = true, false
}

func (d *debounce) waitLocked(path string, now time.Time) *waiting {
	w := d.pending[path]
	if w == nil {
		w = &waiting{first: now}
		d.pending[path] = w
	}
	w.last = now
	return w
}

func (d *debounce) due(w *waiting) time.Time {
	due := w.last.Add(d.quiet)
	if limit := w.first.Add(d.ceiling); limit.Before(due) {
		due = limit
	}
	if w.away {
		due = due.Add(d.quiet)
	}
	return due
}

// take returns the paths that are due at now, and when the next one will be;
// ok is false when none waits.
func (d *debounce) take(now time.Time) (out []Change, next time.Time, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ready bool
	for _, w := range d.pending {
		due := d.due(w)
		ready = ready || !due.After(now)
		if !ok || due.Before(next) {
			next, ok = due, true
		}
	}
	if !ready {
		return nil, next, ok
	}
	next, ok = time.Time{}, false
	for path, w := range d.pending {
		due := d.due(w)
		if !due.After(now.Add(slack)) {
			out = append(out, Change{Path: path, Tree: w.tree, Polled: !w.event})
			delete(d.pending, path)
			continue
		}
		if !ok || due.Before(next) {
			next, ok = due, true
		}
	}
	return out, next, ok
}

// clear forgets everything.
func (d *debounce) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.pending)
}

// since returns when the first event came that a path waits with: its own, or
// one of a whole tree above it.
func (d *debounce) since(path string) (first time.Time, waits bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for p, w := range d.pending {
		if p == path || w.tree && (p == "" || strings.HasPrefix(path, p+"/")) {
			if !waits || w.first.Before(first) {
				first, waits = w.first, true
			}
		}
	}
	return first, waits
}
