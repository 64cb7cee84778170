// Package watch tells which paths below a directory have changed. It registers
// one watch a directory, gathers bursts of events, and falls back to polling
// where the system has no watches left.
package watch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Change is a path that has to be looked at again.
type Change struct {
	// Path is relative to the root, "" for the root itself; slashes forward.
	Path string
	// Tree says that everything below the path may have changed.
	Tree bool
	// Lost says that events were lost: watches are gone, everything has to be
	// compared, and Ensure called for every directory.
	Lost bool
	// Polled says that nothing is known to have happened: the path is looked at
	// from time to time.
	Polled bool
}

// Options set the pace.
type Options struct {
	Root    string        // absolute
	Quiet   time.Duration // after the last event of a path; default 50 ms
	Ceiling time.Duration // after the first, under steady events; default 500 ms
	Poll    time.Duration // between looks at directories without a watch; default 2 s
	// MaxWatches bounds the directories that are watched; the rest is polled.
	// 0 leaves it to the system.
	MaxWatches int
}

// Watch watches directories. Its methods are safe for concurrent use.
//
// A directory is watched or polled only while its parent is, too. So what is
// to be forgotten with a directory is found without a look at all the others.
type Watch struct {
	o  Options
	fs *fsnotify.Watcher
	d  *debounce

	mu        sync.Mutex
	watched   map[string]bool // relative directories
	polled    map[string]bool // those that no watch was left for
	limit     string          // why they are polled
	overflows uint64
}

// New returns a Watch without watches. The caller runs it, or closes it.
func New(o Options) (*Watch, error) {
	if o.Quiet == 0 {
		o.Quiet = 50 * time.Millisecond
	}
	if o.Ceiling == 0 {
		o.Ceiling = 500 * time.Millisecond
	}
	if o.Poll == 0 {
		o.Poll = 2 * time.Second
	}
	fs, err := fsnotify.NewWatcher()
	if errors.Is(err, syscall.EMFILE) {
		return nil, document.Errorf(document.Unavailable, "%s cannot be watched: the limit of watchers or open files is reached: raise it with `sysctl fs.inotify.max_user_instances=1024` and `ulimit -n`", o.Root)
	}
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", o.Root, err)
	}
	return &Watch{
		o: o, fs: fs, watched: map[string]bool{}, polled: map[string]bool{},
		d: &debounce{quiet: o.Quiet, ceiling: o.Ceiling, pending: map[string]*waiting{}},
	}, nil
}

// Close ends a Watch that is not running.
func (w *Watch) Close() error { return w.fs.Close() }

// Ensure registers a watch for a directory unless it has one, and for its
// parents up to the root. Where that fails for a limit, the directory is
// polled; a later call tries again. It reports whether the directory is watched
// or polled now: else it is gone, or may not be read.
func (w *Watch) Ensure(dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ensureLocked(dir)
	return w.watched[dir] || w.polled[dir]
}

func (w *Watch) ensureLocked(dir string) {
	if w.watched[dir] {
		return
	}
	if dir != "" {
		// An event may have dropped the parent since a walk went down from it.
		up := parent(dir)
		if !w.watched[up] && !w.polled[up] {
			w.ensureLocked(up)
		}
		if !w.watched[up] && !w.polled[up] {
			return // gone with its parent
		}
	}
	if w.o.MaxWatches > 0 && len(w.watched) >= w.o.MaxWatches {
		w.polled[dir] = true
		w.limit = fmt.Sprintf("more than %d directories, the configured max_watches: raise it", w.o.MaxWatches)
		return
	}
	err := w.fs.Add(filepath.Join(w.o.Root, filepath.FromSlash(dir)))
	switch {
	case err == nil:
		w.watched[dir] = true
		delete(w.polled, dir)
	case errors.Is(err, syscall.ENOSPC):
		w.polled[dir] = true
		w.limit = "the system's limit of inotify watches is reached: raise it with `sysctl fs.inotify.max_user_watches=1048576`"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		w.polled[dir] = true
		w.limit = "the limit of open files is reached: raise it with `ulimit -n`"
	default:
		// Gone again, or not readable: its parent's watch will tell.
	}
}

// parent returns the directory that holds dir, "" for the root.
func parent(dir string) string { return dir[:max(0, strings.LastIndexByte(dir, '/'))] }

// forget drops the watches of a directory that is gone and of everything
// below it. A watch follows its directory to the new name otherwise, and keeps
// reporting under the old one.
func (w *Watch) forget(dir string) (known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.watched[dir] && !w.polled[dir] {
		return false // and so nothing below it
	}
	// A directory that is polled may hold one that is watched, and the other
	// way round.
	for _, set := range []map[string]bool{w.watched, w.polled} {
		for d := range set {
			if dir == "" || d == dir || strings.HasPrefix(d, dir+"/") {
				delete(set, d)
				// The system has removed it already if the directory is gone.
				_ = w.fs.Remove(filepath.Join(w.o.Root, filepath.FromSlash(d)))
			}
		}
	}
	return true
}

// Forget drops every watch, for the directories that they are of may be no
// longer below the root. Ensure has to be called for those that are.
func (w *Watch) Forget() { w.forget("") }

// Degraded says what is polled, and how to mend that; "" when nothing is.
func (w *Watch) Degraded() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.polled) == 0 {
		return ""
	}
	return fmt.Sprintf("%d directories are polled every %s: %s", len(w.polled), w.o.Poll, w.limit)
}

// Waiting returns since when a path is held back until it is quiet; ok is false
// where no event of it waits.
func (w *Watch) Waiting(path string) (since time.Time, ok bool) { return w.d.since(path) }

// Polled reports whether changes in a directory are only found by polling.
func (w *Watch) Polled(dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for ; ; dir = parent(dir) {
		if w.polled[dir] || dir == "" {
			return w.polled[dir]
		}
	}
}

// Overflows returns how often events were lost.
func (w *Watch) Overflows() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.overflows
}

// Run calls handle with batches of changes until ctx ends. handle runs in a
// goroutine of its own, one call after the other; events are taken meanwhile.
// Run closes the Watch.
func (w *Watch) Run(ctx context.Context, handle func(ctx context.Context, batch []Change)) error {
	batches := make(chan []Change)
	var handler sync.WaitGroup
	handler.Go(func() {
		for batch := range batches {
			handle(ctx, batch)
		}
	})
	q := &queue{wake: make(chan struct{}, 1)}
	var pump sync.WaitGroup
	pump.Go(func() { q.fill(w.fs) })
	w.loop(ctx, w.d, q, batches)
	close(batches)
	handler.Wait()
	err := w.fs.Close() // ends the pump
	pump.Wait()
	if err != nil {
		return fmt.Errorf("stop watching %s: %w", w.o.Root, err)
	}
	return nil
}

func (w *Watch) loop(ctx context.Context, d *debounce, q *queue, batches chan<- []Change) {
	poll := time.NewTicker(w.o.Poll)
	defer poll.Stop()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var batch []Change // handed over as soon as the handler is free
	for {
		out := batches
		if len(batch) == 0 {
			out = nil
			ready, next, ok := d.take(time.Now())
			switch {
			case len(ready) > 0:
				batch, out = ready, batches
			case ok:
				timer.Reset(time.Until(next))
			default:
				timer.Reset(time.Hour)
			}
		}
		select {
		case <-ctx.Done():
			return
		case out <- batch:
			batch = nil
		case <-timer.C:
		case <-poll.C:
			for _, dir := range w.pollRoots() {
				d.poll(dir, time.Now().Add(-d.quiet))
			}
		case <-q.wake:
			events, errs := q.take()
			for _, ev := range events {
				w.event(d, ev)
			}
			for _, err := range errs {
				// Every error may stand for events that did not come.
				batch = append(batch, w.lost(d, err))
			}
		}
	}
}

// lost forgets every watch, for a directory that was moved unseen would report
// under its old name.
func (w *Watch) lost(d *debounce, err error) Change {
	w.mu.Lock()
	if errors.Is(err, fsnotify.ErrEventOverflow) {
		w.overflows++
	}
	w.mu.Unlock()
	w.forget("")
	d.clear()
	return Change{Tree: true, Lost: true}
}

func (w *Watch) event(d *debounce, ev fsnotify.Event) {
	rel, err := filepath.Rel(w.o.Root, ev.Name)
	if ev.Name == "" || err != nil {
		return
	}
	if rel = filepath.ToSlash(rel); rel == "." {
		rel = ""
	}
	tree := rel == "" && ev.Has(fsnotify.Remove|fsnotify.Rename)
	if ev.Has(fsnotify.Remove | fsnotify.Rename | fsnotify.Create) {
		// A directory that appears under a name may have been registered
		// under it by a walk before its watch of the old name was dropped, and
		// the two are one watch. So it is registered anew.
		tree = w.forget(rel) || tree
	}
	if rel == "" && !tree {
		return // the root's own attributes
	}
	d.add(rel, tree, ev.Has(fsnotify.Rename), time.Now())
}

// pollRoots returns the polled directories that lie in no other one.
func (w *Watch) pollRoots() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
next:
	for dir := range w.polled {
		for at := dir; at != ""; {
			at = parent(at)
			if w.polled[at] {
				continue next
			}
		}
		out = append(out, dir)
	}
	return out
}
