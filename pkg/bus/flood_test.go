package bus

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// More comes into a worker's inbox than the client holds while the worker does
// not look: it asks again instead of ending the program.
func TestFloodedInbox_TheWorkerAsksAgain(t *testing.T) {
	srv := startServer(t, t.TempDir())
	b, err := srv.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.Close()
		srv.stop()
	})
	p, err := newPuller(b.nc, "FILES", "w")
	if err != nil {
		t.Fatal(err)
	}
	for range nats.DefaultMaxChanLen + 100 {
		if err := b.nc.Publish(p.sub.Subject, []byte("flood")); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	for dropped, _ := p.sub.Dropped(); dropped == 0; dropped, _ = p.sub.Dropped() {
		time.Sleep(time.Millisecond)
	}
	p.asked = 7
	if _, err := p.next(context.Background()); !errors.Is(err, errSilent) || p.asked != 0 {
		t.Errorf("got %v with %d asked for, want to ask again", err, p.asked)
	}
}
