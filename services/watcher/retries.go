package watcher

import (
	"maps"
	"slices"
	"sync"
)

// retries are paths to look at again: files that kept changing while they were
// read. They are safe for concurrent use.
type retries struct {
	mu    sync.Mutex
	paths map[string]bool
}

func (r *retries) add(paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range paths {
		r.paths[p] = true
	}
}

func (r *retries) has(raw string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paths[raw]
}

// list returns all of them.
func (r *retries) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.paths))
}

// take returns all of them, and forgets them.
func (r *retries) take() (out []scope) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p := range r.paths {
		out = append(out, scope{raw: p})
	}
	clear(r.paths)
	return out
}
