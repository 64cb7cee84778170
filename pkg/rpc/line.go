package rpc

import (
	"context"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// waitRoom is how many requests wait on one endpoint at most, or 64 MiB of them.
const waitRoom = 1024

// The least and the most that somebody who was sent away is told to wait.
const (
	comeBackFirst = 100 * time.Millisecond
	comeBackLast  = 30 * time.Second
)

// line is what stands before the handlers of one endpoint: whoever cannot be
// handled at once waits there for a turn.
type line struct {
	svc    *service
	o      Options
	life   context.Context
	handle func(context.Context, *call)

	mu      sync.Mutex
	running int
	closed  bool
	waiting turns
	took    time.Duration // by a handler, a moving mean
	stats   Stats
}

// arrive hands a request over to a handler, or has it wait. It never blocks: it
// is called by the subscription, behind which nobody else is heard.
func (l *line) arrive(c *call) {
	l.mu.Lock()
	if l.closed || l.running < l.o.Limit && !l.svc.begin() {
		l.mu.Unlock()
		l.sendAway(c, stopping())
		return
	}
	if l.running < l.o.Limit {
		l.running++
		l.mu.Unlock()
		go l.work(c)
		return
	}
	refused, late := l.waiting.put(c, time.Now())
	full := l.full()
	l.mu.Unlock()
	for _, c := range refused {
		l.sendAway(c, full)
	}
	for _, c := range late {
		l.sayLate(c)
	}
}

// full says when to come back; l.mu is held.
func (l *line) full() error {
	wait := l.took * time.Duration(l.waiting.len) / time.Duration(l.o.Limit)
	wait = min(max(wait, comeBackFirst), comeBackLast).Round(time.Millisecond)
	err := document.Errorf(document.Unavailable, "%d requests wait on %s already: ask again in %s", l.waiting.len, l.o.Subject, wait)
	err.RetryAfter = wait
	return err
}

// work handles requests until none waits. It is owned by the service.
func (l *line) work(c *call) {
	defer l.svc.calls.Done()
	for c != nil {
		l.attend(c)
		c = l.next()
	}
}

// attend handles one request, unless nobody waits for its answer any more.
func (l *line) attend(c *call) {
	defer c.leave()
	start := time.Now()
	ctx := c.about(c.here)
	switch {
	case c.here.Err() != nil && l.life.Err() == nil:
		return
	case c.late(start):
		l.sayLate(c)
		return
	case l.o.Left == Finished:
		ctx = c.about(l.life)
	case !c.until.IsZero():
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, c.until)
		defer cancel()
	}
	l.handle(ctx, c)
	l.handled(time.Since(start))
}

// sendAway answers a request that is not handled; one whose time is up has nothing
// of coming back.
func (l *line) sendAway(c *call, why error) {
	if c.late(time.Now()) {
		l.sayLate(c)
		return
	}
	c.fail(why)
	c.leave()
}

// sayLate answers a request whose time was up before its turn came. Whoever has
// left does not hear it.
func (l *line) sayLate(c *call) {
	c.fail(document.Errorf(document.Deadline, "the request on %s waited for its turn until its time of %s was up: ask again, or allow more",
		l.o.Subject, c.until.Sub(c.arrived).Round(time.Millisecond)))
	c.leave()
}

// next returns the request whose turn it is; with none, the handler is free.
func (l *line) next() *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.waiting.pop()
	if c == nil {
		l.running--
	}
	return c
}

// drop takes a request out that waits, if it still does.
func (l *line) drop(c *call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.lane != nil {
		l.waiting.take(c)
	}
}

// close sends away who waits, and whoever comes.
func (l *line) close() {
	l.mu.Lock()
	l.closed = true
	left := l.waiting.all()
	l.mu.Unlock()
	for _, c := range left {
		l.sendAway(c, stopping())
	}
}
