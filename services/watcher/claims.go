package watcher

import (
	"context"
	"sync"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// claims let one comparison at a time look at a document and write it: from
// before the file is read until the PubAck. So the bulk load and a live change
// of the same file never cross, and a subject has one publish outstanding.
type claims struct {
	mu   sync.Mutex
	held map[document.DocID]claim
}

// claim is one that is held.
type claim struct {
	path     document.Path
	released chan struct{} // closed then
}

// take claims a document. park is told of the wait.
func (c *claims) take(ctx context.Context, path document.Path, park scan.Parker) (release func(), err error) {
	doc := document.DocOf(path)
	var done func()
	defer func() {
		if done != nil {
			done()
		}
	}()
	for {
		c.mu.Lock()
		other, busy := c.held[doc]
		if !busy {
			mine := claim{path, make(chan struct{})}
			c.held[doc] = mine
			c.mu.Unlock()
			return func() {
				c.mu.Lock()
				delete(c.held, doc)
				c.mu.Unlock()
				close(mine.released)
			}, nil
		}
		c.mu.Unlock()
		if done == nil {
			done = park()
		}
		select {
		case <-other.released:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// busy reports whether a document is claimed.
func (c *claims) busy(doc document.DocID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, busy := c.held[doc]
	return busy
}

// settle waits until what is claimed now at or below some roots, all of it by
// others, was released.
func (c *claims) settle(ctx context.Context, roots []string) error {
	var wait []chan struct{}
	c.mu.Lock()
	for _, one := range c.held {
		if within(string(one.path), roots) {
			wait = append(wait, one.released)
		}
	}
	c.mu.Unlock()
	for _, released := range wait {
		select {
		case <-released:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
