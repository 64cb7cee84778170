// Package shrink has a map that gives its memory back.
package shrink

import (
	"iter"
	"maps"
)

const (
	// A map that is a fourth as full as it once was is made anew: a deletion
	// then costs the copying of a third of an entry.
	share = 4
	// least is how many entries a map may keep room for whatever it holds.
	least = 1024
)

// Map is a map that takes memory for what it holds. Go's own keeps the room of
// what it held at most, so that a table of documents which come and go would
// take memory for all of those that were ever there at once. The zero Map is
// empty and ready. It is not safe for concurrent use, but for reading.
type Map[K comparable, V any] struct {
	entries map[K]V
	most    int // entries since it was made
}

// Get returns an entry, and whether there is one.
func (m *Map[K, V]) Get(k K) (V, bool) {
	v, ok := m.entries[k]
	return v, ok
}

// Set adds an entry or replaces it.
func (m *Map[K, V]) Set(k K, v V) {
	if m.entries == nil {
		m.entries = map[K]V{}
	}
	m.entries[k] = v
	m.most = max(m.most, len(m.entries))
}

// Delete removes an entry, if there is one.
func (m *Map[K, V]) Delete(k K) {
	delete(m.entries, k)
	if m.most <= least || len(m.entries)*share > m.most {
		return
	}
	fresh := make(map[K]V, len(m.entries))
	maps.Copy(fresh, m.entries)
	m.entries, m.most = fresh, len(fresh)
}

// Len is the number of entries.
func (m *Map[K, V]) Len() int { return len(m.entries) }

// All iterates over the entries in no order. The map must not change meanwhile.
func (m *Map[K, V]) All() iter.Seq2[K, V] { return maps.All(m.entries) }
