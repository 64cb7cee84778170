// Package lru holds what was read or computed lately, within a limit of cost.
package lru

import (
	"container/list"
	"sync"
)

// Cache keeps the values that were used last as long as their costs sum up to
// at most a limit, and one large value beside. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	limit int64

	mu    sync.Mutex
	used  int64
	order *list.List // front: used last
	byKey map[K]*list.Element
	huge  *entry[K, V] // beside the others; nil for none
}

type entry[K comparable, V any] struct {
	key   K
	value V
	cost  int64
}

// New returns a cache for values of a total cost of at most limit.
func New[K comparable, V any](limit int64) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, order: list.New(), byKey: map[K]*list.Element{}}
}

// Get returns the value of key and notes its use.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		c.order.MoveToFront(e)
		return e.Value.(*entry[K, V]).value, true
	}
	if c.huge != nil && c.huge.key == key {
		return c.huge.value, true
	}
	var none V
	return none, false
}

// Put keeps value and drops what was not used for longest. Of the values that cost
// more than a quarter of the limit only the last is kept, beside the others, whatever
// it costs: it would drive out too much, and whoever asked for it asks again.
func (c *Cache[K, V]) Put(key K, value V, cost int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cost > c.limit/4 {
		c.huge = &entry[K, V]{key, value, cost}
		return
	}
	if e, ok := c.byKey[key]; ok {
		old := e.Value.(*entry[K, V])
		c.used += cost - old.cost
		old.value, old.cost = value, cost
		c.order.MoveToFront(e)
	} else {
		c.byKey[key] = c.order.PushFront(&entry[K, V]{key, value, cost})
		c.used += cost
	}
	for c.used > c.limit {
		last := c.order.Back()
		old := last.Value.(*entry[K, V])
		c.order.Remove(last)
		delete(c.byKey, old.key)
		c.used -= old.cost
	}
}

// Used is the total cost of what is kept.
func (c *Cache[K, V]) Used() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.huge != nil {
		return c.used + c.huge.cost
	}
	return c.used
}
