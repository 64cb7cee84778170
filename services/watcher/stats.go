package watcher

import (
	"slices"
	"sync"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// stats counts what the heads of every view say, fed by the head table.
type stats struct {
	mu    sync.Mutex
	views map[viewKey]*viewStats
}

type viewKey struct {
	source document.Source
	view   document.View
}

type viewStats struct {
	documents int // with content
	bytes     int64
	skipped   map[string]int // by reason
	newest    document.Version
	marker    contract.FileHead
}

// clear forgets everything, for a table that is observed anew.
func (s *stats) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.views)
}

// observe is called by the head table for every change, under its lock.
func (s *stats) observe(k bus.FileKey, old, now contract.FileHead) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := viewKey{k.Source, k.View}
	v := s.views[key]
	if v == nil {
		v = &viewStats{skipped: map[string]int{}}
		s.views[key] = v
	}
	if k.Doc == document.MarkerDoc {
		v.marker = now
		return
	}
	v.count(old, -1)
	v.count(now, 1)
	v.newest = max(v.newest, now.Version)
}

func (v *viewStats) count(h contract.FileHead, n int) {
	switch h.Op {
	case contract.OpPut:
		v.documents += n
		v.bytes += int64(n) * h.Size
	case contract.OpSkipped:
		if v.skipped[h.Reason] += n; v.skipped[h.Reason] == 0 {
			delete(v.skipped, h.Reason)
		}
	default: // deleted, or none
	}
}

// of returns a copy for one view.
func (s *stats) of(source document.Source, view document.View) viewStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.views[viewKey{source, view}]
	if v == nil {
		return viewStats{}
	}
	out := *v
	out.skipped = make(map[string]int, len(v.skipped))
	for r, n := range v.skipped {
		out.skipped[r] = n
	}
	return out
}

// ofAll adds up the views of a source.
func (s *stats) ofAll(source document.Source) viewStats {
	sum := viewStats{skipped: map[string]int{}}
	for _, v := range s.viewsOf(source) {
		one := s.of(source, v)
		sum.documents += one.documents
		sum.bytes += one.bytes
		for r, n := range one.skipped {
			sum.skipped[r] += n
		}
	}
	return sum
}

// extent is what a view has.
func (s *stats) extent(source document.Source, view document.View) extent {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.views[viewKey{source, view}]; v != nil {
		return extent{v.documents, v.bytes}
	}
	return extent{}
}

// viewsOf returns the views of a source, sorted.
func (s *stats) viewsOf(source document.Source) []document.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []document.View
	for k := range s.views {
		if k.source == source {
			out = append(out, k.view)
		}
	}
	slices.Sort(out)
	return out
}
