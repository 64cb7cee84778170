// Package scope knows which sources are watched, and so belong to an answer
// that names none.
package scope

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// maxAge is how old the list may be for a query that asks for no token, and
	// how long an answer is waited for before the watcher is asked again: it may
	// have ended with the question in its hands.
	maxAge = time.Second
	// brief is how long a query waits for a new list where an older one will do.
	brief = 250 * time.Millisecond
	// unsaid is the age up to which nothing is said of it: a busy machine lets an
	// answer wait for some seconds.
	unsaid = 5 * time.Second
	// silent is how long a watcher may not answer before it counts as gone,
	// though the server knows somebody who would: it hangs, or is stopped.
	silent = 30 * time.Second
	// most bounds the questions that a slow watcher has before it at once.
	most = 16
)

// Sources asks the watcher for its list and keeps it for a second. Whether there
// is a watcher is judged by what the server says, and by when it answered last: a
// slow one is not gone. It is safe for concurrent use.
type Sources struct {
	nc *nats.Conn

	mu      sync.Mutex
	list    []contract.SourceInfo
	known   bool          // there is a list, and its watcher has not gone since
	at      time.Time     // when the request was sent that told of list, or that nobody is there
	unheard time.Time     // when the first request was made of those since the last answer, be it that of the server; zero where all were answered
	asked   time.Time     // when the newest request was made
	asking  int           // requests that have not ended
	changed chan struct{} // closed and replaced with every answer
	ask     chan time.Time

	unsaid, silent time.Duration
}

// New returns Sources that ask over nc while Run runs.
func New(nc *nats.Conn) *Sources {
	return &Sources{nc: nc, changed: make(chan struct{}), ask: make(chan time.Time, most), unsaid: unsaid, silent: silent}
}

// Run asks the watcher when a query needs its list, until ctx ends. A request
// outlives the query that it was for, since others share the outcome.
func (s *Sources) Run(ctx context.Context) error {
	var requests sync.WaitGroup
	defer requests.Wait()
	for {
		select {
		case at := <-s.ask:
			requests.Go(func() { s.request(ctx, at) })
		case <-ctx.Done():
			return nil
		}
	}
}

// List is what is known of the sources.
type List struct {
	// Watched are the watched sources in order.
	Watched []document.Source
	// Sources are all that there are, watched or not, in order.
	Sources []document.Source
	// Known is false where no watcher answers; then every source counts.
	Known bool
	// Age is how old the list is, where that is worth saying; 0 otherwise.
	Age time.Duration
}

// Watched returns the watched sources. With asOf set the list is not older than
// that moment, and is waited for until ctx ends. seen are the sources that the
// log has: a list that lacks one of them may be from before it was added, so it
// is read again.
func (s *Sources) Watched(ctx context.Context, asOf time.Time, seen []document.Source) List {
	start := time.Now()
	short := time.NewTimer(brief)
	defer short.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for patient := true; !s.fresh(start, asOf, seen); {
		s.askAgain(asOf)
		if !patient || s.isSilent() {
			return s.old(asOf, seen)
		}
		enough := short.C
		if !s.known || s.at.Before(asOf) {
			enough = nil // only a new one will do
		}
		patient = s.wait(ctx, enough)
	}
	return List{Watched: s.watched(), Sources: s.all(), Known: s.known}
}

// wait waits for an answer, or until it is time to ask again. It is false where
// ctx or enough came first. s.mu is held, but not meanwhile.
func (s *Sources) wait(ctx context.Context, enough <-chan time.Time) bool {
	changed, again := s.changed, time.NewTimer(maxAge)
	s.mu.Unlock()
	defer s.mu.Lock()
	defer again.Stop()
	select {
	case <-changed:
	case <-again.C:
	case <-enough:
		return false
	case <-ctx.Done():
		return false
	}
	return true
}

// fresh reports whether what is known is new enough for a query that came at
// start.
func (s *Sources) fresh(start, asOf time.Time, seen []document.Source) bool {
	return !s.at.Before(start.Add(-maxAge)) && !s.at.Before(asOf) &&
		!(s.known && s.at.Before(start.Add(-maxAge/10)) && s.lacks(seen))
}

// isSilent reports whether the watcher was asked long ago and has not answered
// since. That nobody asked is no silence.
func (s *Sources) isSilent() bool { return !s.unheard.IsZero() && time.Since(s.unheard) > s.silent }

// old is what a query has to do with where no new list comes.
func (s *Sources) old(asOf time.Time, seen []document.Source) List {
	if !s.known || s.at.Before(asOf) || s.isSilent() {
		return List{}
	}
	l := List{Watched: s.watched(), Sources: s.all(), Known: true}
	if age := time.Since(s.at); age > s.unsaid || s.lacks(seen) {
		l.Age = age
	}
	return l
}

// askAgain has the watcher asked, unless a request is under way that will do.
func (s *Sources) askAgain(asOf time.Time) {
	now := time.Now()
	if s.asking >= most || s.asking > 0 && !s.asked.Before(asOf) && s.asked.After(now.Add(-maxAge)) {
		return
	}
	if s.unheard.IsZero() || s.asking == 0 && now.Sub(s.asked) > s.silent {
		s.unheard = now // what it did not answer long ago says nothing of now
	}
	s.asking++
	s.asked = now
	s.ask <- now // it has room for most
}

// request reads the list.
func (s *Sources) request(ctx context.Context, at time.Time) {
	reply, err := client.Sources.Ask(ctx, s.nc, client.None)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking--
	if document.KindOf(err) != document.Deadline && !overloaded(err) {
		s.unheard = time.Time{}
		if at.After(s.at) {
			s.at, s.list, s.known = at, reply.Sources, err == nil
		}
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// overloaded reports whether the watcher has too much to do to answer.
func overloaded(err error) bool {
	var e *document.Error
	return errors.As(err, &e) && e.RetryAfter > 0
}

// Last returns all sources as the watcher told them last, and how long ago. There
// are none where no watcher answers.
func (s *Sources) Last(ctx context.Context) (list []contract.SourceInfo, age time.Duration, ok bool) {
	if !s.Watched(ctx, time.Time{}, nil).Known {
		return nil, 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list), time.Since(s.at), true
}

// Gone returns those of the watched sources of the last list whose root cannot
// be read.
func (s *Sources) Gone() []contract.SourceInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []contract.SourceInfo
	for _, i := range s.list {
		if i.Watched && i.Gone != "" {
			out = append(out, i)
		}
	}
	return out
}

func (s *Sources) lacks(seen []document.Source) bool {
	return slices.ContainsFunc(seen, func(name document.Source) bool {
		return !slices.ContainsFunc(s.list, func(i contract.SourceInfo) bool { return i.Source == name })
	})
}

func (s *Sources) watched() []document.Source {
	return s.names(func(i contract.SourceInfo) bool { return i.Watched })
}

func (s *Sources) all() []document.Source {
	return s.names(func(contract.SourceInfo) bool { return true })
}

func (s *Sources) names(in func(contract.SourceInfo) bool) []document.Source {
	var out []document.Source
	for _, i := range s.list {
		if in(i) {
			out = append(out, i.Source)
		}
	}
	slices.Sort(out)
	return out
}
