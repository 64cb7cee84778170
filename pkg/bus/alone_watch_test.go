package bus

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// slow is a bucket that fails to answer one request to watch it: the second, with
// which a process that has just taken a role follows who has it.
type slow struct {
	jetstream.KeyValue
	asked int
}

func (s *slow) Watch(ctx context.Context, keys string, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	if s.asked++; s.asked == 2 {
		return nil, context.DeadlineExceeded
	}
	return s.KeyValue.Watch(ctx, keys, opts...)
}

func TestLogIsSlowOnceARoleWasTaken_ItIsTakenAgain(t *testing.T) {
	t.Parallel()
	server := startServer(t, t.TempDir())
	t.Cleanup(server.stop)
	b, err := server.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := EnsureStreams(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	kv, err := b.js.KeyValue(t.Context(), contract.BucketMeta)
	if err != nil {
		t.Fatal(err)
	}
	me, err := b.roles.self()
	if err != nil {
		t.Fatal(err)
	}
	done := errors.New("done")
	bucket := &slow{KeyValue: kv}
	err = b.roles.run(t.Context(), bucket, "keeper", me, func(context.Context) error { return done })
	if !errors.Is(err, done) || bucket.asked < 3 {
		t.Errorf("%v after %d requests", err, bucket.asked)
	}
}
