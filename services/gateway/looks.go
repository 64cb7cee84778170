package gateway

import (
	"context"
	"sync"
)

// looks are those that webhooks led to. They end with the service, and not with who
// asked. It is safe for concurrent use.
type looks struct {
	life context.Context
	end  context.CancelFunc

	mu  sync.Mutex // no look begins while the last are waited for
	all sync.WaitGroup
}

func newLooks() *looks {
	l := &looks{}
	l.life, l.end = context.WithCancel(context.Background())
	return l
}

// begin runs a look; it reports false where the service stops.
func (l *looks) begin(look func(context.Context)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.life.Err() != nil {
		return false
	}
	l.all.Go(func() { look(l.life) })
	return true
}

// stop ends the looks, and waits for that.
func (l *looks) stop() {
	l.mu.Lock()
	l.end()
	l.mu.Unlock()
	l.all.Wait()
}
