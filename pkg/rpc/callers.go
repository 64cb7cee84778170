package rpc

import (
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// callers knows the requests whose callers may say that they have left, each by
// an id of its caller's making. It is safe for concurrent use.
type callers struct {
	sub *nats.Subscription

	mu    sync.Mutex
	calls map[string]*call
	// early are the last ids of which the request has not come: the two come by
	// different subscriptions, and most are of other services.
	early map[string]struct{}
	order [earlyKept]string
	at    int
}

// earlyKept bounds what is remembered of callers that left before their
// requests came: some milliseconds of all that leave.
const earlyKept = 4096

func listenToCallers(nc *nats.Conn) (*callers, error) {
	l := &callers{calls: map[string]*call{}, early: map[string]struct{}{}}
	var err error
	if l.sub, err = nc.Subscribe(contract.CancelSubject("*"), func(m *nats.Msg) { l.left(m.Subject) }); err != nil {
		return nil, fmt.Errorf("listen for callers that leave: %w", err)
	}
	if err := l.sub.SetPendingLimits(-1, -1); err != nil {
		l.stop()
		return nil, fmt.Errorf("listen for callers that leave: %w", err)
	}
	return l, nil
}

func (l *callers) stop() { _ = l.sub.Unsubscribe() } // it ends with its connection, too

// add notes a request; it has been left already where its caller was quicker.
func (l *callers) add(subject string, c *call) {
	l.mu.Lock()
	_, gone := l.early[subject]
	if !gone {
		l.calls[subject] = c
	}
	l.mu.Unlock()
	if gone {
		c.cancel()
	}
}

func (l *callers) remove(subject string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, subject)
}

func (l *callers) left(subject string) {
	l.mu.Lock()
	c := l.calls[subject]
	delete(l.calls, subject)
	if c == nil {
		subject = strings.Clone(subject) // else it would keep its message
		delete(l.early, l.order[l.at])
		l.early[subject], l.order[l.at] = struct{}{}, subject
		l.at = (l.at + 1) % earlyKept
	}
	l.mu.Unlock()
	if c != nil {
		c.cancel()
		c.line.drop(c)
	}
}
