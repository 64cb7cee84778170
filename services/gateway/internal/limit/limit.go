// Package limit bounds how many requests one endpoint takes.
package limit

import (
	"time"

	"golang.org/x/time/rate"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Limit is that of one endpoint. It is safe for concurrent use.
type Limit struct {
	name string
	room chan struct{}
	rate *rate.Limiter
}

// New makes a limit of so many requests at once, and a second; 0: as many as come.
func New(name string, atOnce, perSecond int) *Limit {
	if perSecond == 0 {
		return &Limit{name, make(chan struct{}, atOnce), rate.NewLimiter(rate.Inf, 0)}
	}
	return &Limit{name, make(chan struct{}, atOnce), rate.NewLimiter(rate.Limit(perSecond), perSecond)}
}

// soon is when to come again where there is no room: some answers later.
const soon = time.Second

// Take lets a request in, which gives its room back by leave. The error says when to
// ask again: RateLimited above the rate, Unavailable without room.
func (l *Limit) Take() (leave func(), err error) {
	select {
	case l.room <- struct{}{}:
	default:
		return nil, full(cap(l.room), l.name)
	}
	if err := l.wait(); err != nil {
		<-l.room
		return nil, err
	}
	return func() { <-l.room }, nil
}

func full(most int, name string) error {
	e := document.Errorf(document.Unavailable, "%d requests for %s are under way: ask again in a moment", most, name)
	e.RetryAfter = soon
	return e
}

// wait returns a RateLimited above the rate.
func (l *Limit) wait() error {
	r := l.rate.Reserve()
	if r.Delay() == 0 {
		return nil
	}
	e := document.Errorf(document.RateLimited, "more than %d requests a second for %s: ask again in a moment", l.rate.Burst(), l.name)
	e.RetryAfter = max(r.Delay().Truncate(time.Millisecond), time.Millisecond)
	r.Cancel()
	return e
}
