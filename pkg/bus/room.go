package bus

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Room is whether the log takes what is published.
type Room struct {
	mu    sync.Mutex
	guard func(bytes int64) error
	full  error     // what the server has said last
	until time.Time // until when it is not asked again
}

const (
	// askRoom is how often a publish that waits for its PubAck asks whether one
	// will come: a server that cannot write does not answer.
	askRoom = 500 * time.Millisecond
	// fullWait is how long nothing is published to a server that has said that
	// it has no room.
	fullWait = 5 * time.Second
)

// Room is whether the log takes what is published.
func (b *Bus) Room() *Room { return &b.room }

// Guard has guard asked before every publish of this Bus whether so many bytes
// may be written. Its error refuses the publish, pauses the workers, and has to
// hold until it is asked again.
func (r *Room) Guard(guard func(bytes int64) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.guard = guard
}

// For returns nil where the log takes a publish of so many bytes, else an
// error of the kind Unavailable that says what to do.
func (r *Room) For(bytes int64) error {
	r.mu.Lock()
	guard, full, until := r.guard, r.full, r.until
	r.mu.Unlock()
	if guard != nil {
		if err := guard(bytes); err != nil {
			return err
		}
	}
	if full != nil && time.Now().Before(until) {
		return full
	}
	return nil
}

// Await waits until the log takes what is published, or ctx ends.
func (r *Room) Await(ctx context.Context) error {
	for r.For(0) != nil {
		if !pause(ctx, askRoom) {
			return ctx.Err()
		}
	}
	return nil
}

// while returns a context that also ends when the log has no room any more,
// with that as its cause. The caller calls stop.
func (r *Room) while(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var asking sync.WaitGroup
	asking.Go(func() {
		for pause(ctx, askRoom) {
			if err := r.For(0); err != nil {
				cancel(err)
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		asking.Wait()
	}
}

// serverFull returns what the server has said of its own storage, until a
// publish succeeds again.
func (r *Room) refused() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.full
}

// note keeps what the outcome of a publish says of the server's storage.
func (r *Room) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.full = nil
	case isFull(err):
		r.full, r.until = fullError(err), time.Now().Add(fullWait)
	}
}

func fullError(err error) error {
	return document.Errorf(document.Unavailable, "the NATS server has no room for the log (%w): give it more disk, or raise max_file_store there; nothing new is taken in, searches go on, and it goes on by itself", err)
}

// What a server answers that has no room; the client has no names for them.
const (
	errCodeAccountResources  jetstream.ErrorCode = 10002
	errCodeInsufficient      jetstream.ErrorCode = 10023
	errCodeMemoryResources   jetstream.ErrorCode = 10028
	errCodeStorageResources  jetstream.ErrorCode = 10047
	errCodeStreamStoreFailed jetstream.ErrorCode = 10077
)

func isFull(err error) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode {
	case errCodeAccountResources, errCodeInsufficient, errCodeMemoryResources, errCodeStorageResources, errCodeStreamStoreFailed:
		return true
	}
	return false
}
