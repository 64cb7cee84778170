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
// connects without any secret and, where it gets in, does harm.
func (r *assault) intrude(ctx context.Context) error {
	nc, err := nats.Connect(r.dep.url, nats.NoReconnect(), nats.Timeout(foreignTime))
	if err != nil {
		r.count("foreign client refused")
		return nil
	}
	defer nc.Close()
	what, done, err := r.harm(ctx, nc)
	if done {
		r.count(what)
	}
	return err
}

// exceed does harm as somebody who was let in for something else. That it can is
// a violation.
func (r *assault) exceed(ctx context.Context) error {
	role := []contract.Role{contract.RoleAsk, contract.RoleAnnounce, contract.RoleWrite, contract.RoleAdmin}[r.rng.IntN(4)]
	login, err := r.dep.login(string(role))
	if err != nil {
		return nil // the program is down
	}
	nc, err := login.Dial(nats.NoReconnect(), nats.Timeout(foreignTime), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		return nil
	}
	defer nc.Close()
	what, done, err := r.harm(ctx, nc)
	if done {
		r.violation("rights", string(role)+": "+what)
	}
	return err
}

// harm publishes what nobody can read, deletes a consumer or has a stream lose
// its messages, and reports whether it could.
func (r *assault) harm(ctx context.Context, nc *nats.Conn) (what string, done bool, err error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return "", false, err
	}
	ctx, cancel := context.WithTimeout(ctx, foreignTime)
	defer cancel()
	switch r.rng.IntN(3) {
	case 0:
		doc := document.DocOf(document.Path(word(r.rng)))
		_, err := js.Publish(ctx, contract.FileSubject("foreign", doc, document.Worktree), []byte("\x00 no message of ours"))
		return "foreign message", err == nil, nil
	case 1:
		return "consumer deleted", deleteConsumer(ctx, js, r.rng.Uint32()), nil
	default:
		return "stream edited", editStream(ctx, js, r.rng.Uint32()), nil
	}
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
