package analysis

import (
	"hash/maphash"
	"sync/atomic"
)

// cache is a bounded map that loses entries when it is full. Readers and
// writers need no lock: a slot is one atomic pointer to an entry that never
// changes.
type cache[V any] struct {
	seed  maphash.Seed
	slots []atomic.Pointer[entry[V]]
}

type entry[V any] struct {
	key   string
	value V
}

// newCache returns a cache of size entries, a power of two.
func newCache[V any](size int) *cache[V] {
	return &cache[V]{seed: maphash.MakeSeed(), slots: make([]atomic.Pointer[entry[V]], size)}
}

// get looks key up in its two slots.
func (c *cache[V]) get(key []byte) (value V, ok bool) {
	i := maphash.Bytes(c.seed, key) & uint64(len(c.slots)-1)
	if e := c.slots[i].Load(); e != nil && e.key == string(key) {
		return e.value, true
	}
	if e := c.slots[i^1].Load(); e != nil && e.key == string(key) {
		return e.value, true
	}
	return value, false
}

// getString is get for a key that is a string already.
func (c *cache[V]) getString(key string) (value V, ok bool) {
	i := maphash.String(c.seed, key) & uint64(len(c.slots)-1)
	for _, at := range [2]uint64{i, i ^ 1} {
		if e := c.slots[at].Load(); e != nil && e.key == key {
			return e.value, true
		}
	}
	return value, false
}

// put stores a pair. The new entry takes the first slot and moves what was
// there to the second, so that a common key outlives a rare one that met it.
func (c *cache[V]) put(key string, value V) {
	i := maphash.String(c.seed, key) & uint64(len(c.slots)-1)
	if old := c.slots[i].Load(); old != nil {
		c.slots[i^1].Store(old)
	}
	c.slots[i].Store(&entry[V]{key: key, value: value})
}
