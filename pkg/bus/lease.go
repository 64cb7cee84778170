package bus

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// lease is the right to handle a message: AckWait on the server's side, a
// deadline on the handler's. Both are extended together.
type lease struct {
	msg    *nats.Msg
	length time.Duration

	mu       sync.Mutex
	deadline time.Time
	cancel   context.CancelCauseFunc // of the handler's context, once it runs
}

func newLease(msg *nats.Msg, length time.Duration) *lease {
	return &lease{msg: msg, length: length, deadline: time.Now().Add(length)}
}

// begin restarts the lease when a handler takes the message up.
func (l *lease) begin(cancel context.CancelCauseFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deadline = time.Now().Add(l.length)
	l.cancel = cancel
}

// waiting keeps a lease alive while the message waits for a handler.
func (l *lease) waiting() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel == nil {
		l.deadline = time.Now().Add(l.length)
	}
}

func (l *lease) extend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deadline = time.Now().Add(l.length)
}

// keep tells the server that the message is still being worked on, or stops
// the handler when its deadline has passed.
func (l *lease) keep() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Now().Before(l.deadline) {
		_ = l.msg.InProgress()
		return
	}
	if l.cancel != nil {
		l.cancel(context.DeadlineExceeded)
	}
}

// keeper extends the leases of all messages that a worker holds.
type keeper struct {
	mu     sync.Mutex
	leases map[*lease]struct{}
}

func (k *keeper) add(l *lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.leases[l] = struct{}{}
}

func (k *keeper) remove(l *lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.leases, l)
}

func (k *keeper) run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		k.mu.Lock()
		held := make([]*lease, 0, len(k.leases))
		for l := range k.leases {
			held = append(held, l)
		}
		k.mu.Unlock()
		for _, l := range held {
			l.waiting()
			l.keep()
		}
	}
}
