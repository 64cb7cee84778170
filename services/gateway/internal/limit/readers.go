package limit

import (
	"slices"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Readers bounds how many requests for one endpoint may have their bodies on the way.
// Where there is no room, the one that is on its way for the longest yields to the next:
// clients that are slow to send take no room from those that are not. It is safe for
// concurrent use.
type Readers struct {
	limit *Limit // of requests a second
	name  string
	most  int
	now   func() time.Time

	mu    sync.Mutex
	under []*Reader // the oldest first
}

// patience is how long a body may be on its way, however many others come.
const patience = time.Second

// NewReaders makes room for so many bodies at once, and limits the requests a second as
// New does.
func NewReaders(name string, atOnce, perSecond int) *Readers {
	return &Readers{limit: New(name, 1, perSecond), name: name, most: atOnce, now: time.Now}
}

// Reader is a request whose body is on its way.
type Reader struct {
	of      *Readers
	began   time.Time
	cut     func()
	yielded bool // under of.mu
}

// Take lets a request in. cut ends the reading of its body; it is called at most once,
// before Leave returns, by whoever takes its place. The errors are those of Limit.Take.
func (l *Readers) Take(cut func()) (*Reader, error) {
	if err := l.limit.wait(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &Reader{of: l, began: l.now(), cut: cut}
	if len(l.under) >= l.most {
		oldest := l.under[0]
		if r.began.Sub(oldest.began) < patience {
			return nil, full(l.most, l.name)
		}
		oldest.yielded = true
		l.under = slices.Delete(l.under, 0, 1)
		oldest.cut()
	}
	l.under = append(l.under, r)
	return r, nil
}

// Leave gives the room back; more than once is as once. The error is Unavailable where
// another request has taken the room.
func (r *Reader) Leave() error {
	l := r.of
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.under, r); i >= 0 {
		l.under = slices.Delete(l.under, i, i+1)
	}
	if !r.yielded {
		return nil
	}
	e := document.Errorf(document.Unavailable, "the body was on its way for %s while others waited: send it at once", l.now().Sub(r.began).Round(time.Second/10))
	e.RetryAfter = soon
	return e
}
