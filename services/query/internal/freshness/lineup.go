package freshness

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Scope says which documents a query depends on.
type Scope struct {
	// Group decides for all documents of a source, view and collection; the
	// collection is empty where a deletion does not name it.
	Group func(document.Source, document.View, document.Collection) bool
	// Head decides further for each of them; nil lets every document through.
	Head func(*contract.FileHead) bool
}

func (s *Scope) includes(h *contract.FileHead) bool {
	return s.Group(h.Source, h.View, h.Collection) && (s.Head == nil || s.Head(h))
}

// lineup is what the choice of pending documents needs of each, side by side:
// during a bulk load every query looks at thousands of them, and most of its
// time would go into waiting for their heads to come from memory.
type lineup struct {
	rows   []place
	groups []group
	number map[group]uint32 // of groups
}

// place is a pending document in the lineup.
type place struct {
	of      *unsettled
	version document.Version
	group   uint32
	live    bool
}

type group struct {
	source     document.Source
	view       document.View
	collection document.Collection
}

// put adds a document, or takes up what has changed of it.
func (l *lineup) put(u *unsettled) {
	g := group{u.head.Source, u.head.View, u.head.Collection}
	n, known := l.number[g]
	if !known {
		if l.number == nil {
			l.number = map[group]uint32{}
		}
		n = uint32(len(l.groups))
		l.groups = append(l.groups, g)
		l.number[g] = n
	}
	p := place{of: u, version: u.head.Version, group: n, live: u.head.Live}
	if u.at == 0 {
		l.rows = append(l.rows, p)
		u.at = len(l.rows)
		return
	}
	l.rows[u.at-1] = p
}

// remove takes a document out.
func (l *lineup) remove(u *unsettled) {
	last := len(l.rows) - 1
	moved := l.rows[last]
	l.rows[u.at-1], moved.of.at = moved, u.at
	l.rows[last] = place{}
	l.rows = l.rows[:last]
	u.at = 0
}

// first returns the documents in scope that matter most, at most limit, and
// how many more there are.
func (l *lineup) first(in Scope, limit int) (list []*unsettled, more int) {
	counts := make([]bool, len(l.groups))
	for i, g := range l.groups {
		counts[i] = in.Group(g.source, g.view, g.collection)
	}
	var best []place
	// From the end, where new documents are: they come first, and the others
	// need no sorting.
	for i := len(l.rows) - 1; i >= 0; i-- {
		p := l.rows[i]
		if !counts[p.group] || in.Head != nil && !in.Head(&p.of.head) {
			continue
		}
		if n := len(best); n == limit && (n == 0 || !p.before(best[n-1])) {
			more++
			continue
		}
		at, _ := slices.BinarySearchFunc(best, p, func(a, b place) int {
			if a.before(b) {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, p)
		if len(best) > limit {
			best = best[:limit]
			more++
		}
	}
	for _, p := range best {
		list = append(list, p.of)
	}
	return list, more
}

// before orders what matters most to a reader first: what was seen live, then
// the newest.
func (p place) before(o place) bool {
	if p.live != o.live {
		return p.live
	}
	return p.version > o.version
}
