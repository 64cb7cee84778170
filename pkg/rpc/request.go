package rpc

import (
	"container/list"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// call is one request and the way to answer it.
type call struct {
	svc     *service
	line    *line
	reply   string
	data    []byte
	asker   contract.Principal
	way     string
	arrived time.Time
	until   time.Time // when its caller wants the answer; zero: whenever it comes
	// left is the subject on which the caller says that it has left, "" where it
	// does not; here ends then, and with the endpoint.
	left   string
	here   context.Context
	cancel context.CancelFunc

	// While it waits, where it does; line.mu guards them.
	lane  *lane
	waits *list.Element
}

type arrivedKey struct{}

// about is a ctx that knows when a request has arrived, and who sent it.
func (c *call) about(ctx context.Context) context.Context {
	ctx = context.WithValue(ctx, wayKey{}, c.way)
	return context.WithValue(context.WithValue(ctx, arrivedKey{}, c.arrived), askerKey{}, c.asker)
}

// Arrived returns when the request came that ctx is a handler's for, however
// long it waited for its turn; now where there is none.
func Arrived(ctx context.Context) time.Time {
	if at, ok := ctx.Value(arrivedKey{}).(time.Time); ok {
		return at
	}
	return time.Now()
}

// Arriving is ctx for what begins only now: its deadlines count from here.
func Arriving(ctx context.Context) context.Context {
	return context.WithValue(ctx, arrivedKey{}, time.Now())
}

// stamp reads a request's headers. With an error the call is there to be
// answered.
func (l *line) stamp(req micro.Request) (*call, error) {
	c := &call{svc: l.svc, line: l, reply: req.Reply(), data: req.Data(), way: req.Headers().Get(contract.WayHeader), arrived: time.Now()}
	var err error
	g := l.svc.guard
	c.asker, err = contract.AskedBy(req.Reply(), req.Headers().Get(contract.PrincipalHeader))
	if document.KindOf(err) == document.Forbidden && (g == nil || !g.Restricts()) {
		// Everybody is told everything, and a server need not know users.
		c.asker, err = contract.AskedBy(req.Reply(), "")
	}
	if err != nil {
		return c, err
	}
	if g != nil {
		if err := g.Admits(c.asker, l.o.Subject); err != nil {
			return c, err
		}
	}
	limit := l.o.Deadline
	if text := req.Headers().Get(headerDeadline); text != "" {
		ms, err := strconv.ParseInt(text, 10, 64)
		if err != nil || ms < 1 {
			return c, document.Errorf(document.InvalidRequest, "the header %s is %q: give the milliseconds in which you want the answer, at least 1", headerDeadline, text)
		}
		limit = time.Duration(min(ms, longest.Milliseconds())) * time.Millisecond
	}
	left := req.Headers().Get(headerCancel)
	if id, ok := strings.CutPrefix(left, contract.CancelSubject("")); left != "" && (!ok || id == "" || strings.ContainsAny(id, ".*> ")) {
		return c, document.Errorf(document.InvalidRequest, "the header %s is %q: name a subject %s with an id of your own that nobody can guess", headerCancel, left, contract.CancelSubject("ID"))
	}
	c.here, c.cancel = context.WithCancel(l.life)
	if l.o.Left == Handled {
		return c, nil
	}
	if limit > 0 {
		c.until = c.arrived.Add(limit)
	}
	if left != "" {
		c.left = left
		l.svc.callers.add(left, c)
	}
	return c, nil
}

// leave ends what the call holds. It may be called again.
func (c *call) leave() {
	c.cancel()
	if c.left != "" {
		c.svc.callers.remove(c.left)
	}
}

// late reports whether its caller has no time left.
func (c *call) late(now time.Time) bool { return !c.until.IsZero() && now.After(c.until) }
