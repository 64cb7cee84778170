package bus_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// watchDrops tells of messages that the client could not hold.
func watchDrops(t *testing.T, b *bus.Bus) {
	t.Helper()
	b.Conn().SetErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrSlowConsumer) {
			t.Errorf("%s: %v", sub.Subject, err)
		}
	})
}

// deliveredOnce fails where the worker "w" was given anything twice.
func deliveredOnce(t *testing.T, b *bus.Bus, n int) {
	t.Helper()
	c, err := b.JetStream().Consumer(t.Context(), contract.StreamFiles, "w")
	if err != nil {
		t.Fatal(err)
	}
	info, err := c.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.Delivered.Consumer != uint64(n) {
		t.Errorf("%d messages were delivered %d times", n, info.Delivered.Consumer)
	}
}

// slowly runs a worker whose handler waits to be let go, and tells what it has
// handled.
func slowly(t *testing.T, b *bus.Bus, w bus.Worker) (let chan<- struct{}, begun, done <-chan int) {
	t.Helper()
	gate, begins, ends := make(chan struct{}), make(chan int, 1024), make(chan int, 1024)
	w.Stage, w.Name, w.Build, w.Stream = contract.StageChunker, "w", "1", contract.StreamFiles
	w.Handle = func(_ context.Context, msgs []*bus.Msg) []error {
		begins <- len(msgs)
		<-gate
		ends <- len(msgs)
		return make([]error, len(msgs))
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx, w) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return gate, begins, ends
}

// While the handler is busy, the server says twice a second that it has a
// request; what it says takes room, too.
func TestHandlerIsBusy_NoMessageIsDropped(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	watchDrops(t, b)
	let, begun, done := slowly(t, b, bus.Worker{Workers: 1, Batch: 4, Lease: time.Minute})
	n := 0
	more := func(k int) {
		for range k {
			n++
			put(t, b, document.Path(fmt.Sprintf("%d.go", n)), "x", 0)
		}
	}
	more(1)
	<-begun
	more(5) // as much as its queue takes, and one that is being handed over
	<-time.After(3 * time.Second)
	more(16)
	close(let)
	for handled := 0; handled < n; {
		handled += <-done
	}
	deliveredOnce(t, b, n)
}

// 40 MB of incompressible content come at once.
func TestLargeMessages_AreNotDropped(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	watchDrops(t, b)
	content := make([]byte, 400<<10)
	const n = 100
	for i := range n {
		_, _ = rand.Read(content)
		put(t, b, document.Path(fmt.Sprintf("%d.bin", i)), string(content), 0)
	}
	let, _, done := slowly(t, b, bus.Worker{Workers: 2, Batch: 64})
	close(let)
	for handled := 0; handled < n; {
		handled += <-done
	}
	deliveredOnce(t, b, n)
}
