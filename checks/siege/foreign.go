package siege

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// foreignTime bounds what a client may do that has nothing to say.
const foreignTime = 2 * time.Second

// intrude does what a process of somebody else's on the machine can do: it
// connects without any secret and, where it gets in, publishes what nobody can
// read, deletes consumers and changes streams.
func (r *round) intrude(ctx context.Context) error {
	nc, err := nats.Connect(r.url(), nats.NoReconnect(), nats.Timeout(foreignTime))
	if err != nil {
		r.count("foreign client refused")
		return nil
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, foreignTime)
	defer cancel()
	what, done := "", false
	switch r.rng.IntN(3) {
	case 0:
		what = "foreign message"
		doc := document.DocOf(document.Path(word(r.rng)))
		_, err := js.Publish(ctx, contract.FileSubject("foreign", doc, document.Worktree), []byte("\x00 no message of ours"))
		done = err == nil
	case 1:
		what, done = "consumer deleted", deleteConsumer(ctx, js, r.rng.Uint32())
	case 2:
		what, done = "stream edited", editStream(ctx, js, r.rng.Uint32())
	}
	if done {
		r.count(what)
	}
	return nil
}

// deleteConsumer deletes one of the durable consumers.
func deleteConsumer(ctx context.Context, js jetstream.JetStream, which uint32) bool {
	stream := contract.Streams[int(which)%len(contract.Streams)]
	s, err := js.Stream(ctx, stream)
	if err != nil {
		return false
	}
	var names []string
	for name := range s.ConsumerNames(ctx).Name() {
		names = append(names, name)
	}
	return len(names) > 0 && s.DeleteConsumer(ctx, names[int(which/7)%len(names)]) == nil
}

// editStream lets a stream lose its messages after a while.
func editStream(ctx context.Context, js jetstream.JetStream, which uint32) bool {
	s, err := js.Stream(ctx, contract.Streams[int(which)%len(contract.Streams)])
	if err != nil {
		return false
	}
	cfg := s.CachedInfo().Config
	cfg.MaxAge = time.Hour
	_, err = js.UpdateStream(ctx, cfg)
	return err == nil
}
