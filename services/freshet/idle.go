package freshet

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// idler ends a run that nobody asks any more.
type idler struct {
	nc    *nats.Conn
	after time.Duration // 0: it goes on for ever
	ready <-chan struct{}
	end   func()
	log   *slog.Logger

	last atomic.Int64 // when somebody asked, as Unix time in nanoseconds
}

// Run listens for what people and programs ask, or put, from when the run is ready.
func (i *idler) Run(ctx context.Context) error {
	if i.after == 0 {
		<-ctx.Done()
		return nil
	}
	asked := func(*nats.Msg) { i.last.Store(time.Now().UnixNano()) }
	for _, subject := range contract.RoleWrite.Asks() {
		sub, err := i.nc.Subscribe(subject, asked)
		if err != nil {
			return fmt.Errorf("listen for questions on %s: %w", subject, err)
		}
		defer func() { _ = sub.Unsubscribe() }()
	}
	select {
	case <-i.ready:
	case <-ctx.Done():
		return nil
	}
	asked(nil)
	for {
		left := i.after - time.Since(time.Unix(0, i.last.Load()))
		if left <= 0 {
			break
		}
		select {
		case <-time.After(left):
		case <-ctx.Done():
			return nil
		}
	}
	i.log.Info("nobody has asked: freshet ends", "after", i.after)
	i.end()
	<-ctx.Done() // which comes in its turn
	return nil
}
