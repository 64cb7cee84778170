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
	held map[document.DocID]chan struct{} // closed at release
}

// take claims a document. park is told of the wait.
func (c *claims) take(ctx context.Context, doc document.DocID, park scan.Parker) (release func(), err error) {
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
			mine := make(chan struct{})
			c.held[doc] = mine
			c.mu.Unlock()
			return func() {
				c.mu.Lock()
				delete(c.held, doc)
				c.mu.Unlock()
				close(mine)
			}, nil
		}
		c.mu.Unlock()
		if done == nil {
			done = park()
		}
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// busy reports whether a document is claimed.
func (c *claims) busy(doc document.DocID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held[doc] != nil
}
