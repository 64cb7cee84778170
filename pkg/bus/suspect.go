package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// A document that ends its worker would be redelivered for ever. Deaths are
// counted only for messages that come again without having been given back: a
// mark is set before such a message is handled, and removed after. A mark
// that is found was left by a worker that died.
const (
	// deathsUntilSuspect is when the safe way is taken.
	deathsUntilSuspect = 2
	// deathsUntilDead is when the message goes to DEAD.
	deathsUntilDead = 4
)

type suspects struct {
	kv    jetstream.KeyValue
	stage contract.Stage
}

func openSuspects(ctx context.Context, b *Bus, stage contract.Stage) (*suspects, error) {
	kv, err := b.js.KeyValue(ctx, contract.BucketSuspects)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", contract.BucketSuspects, err)
	}
	return &suspects{kv: kv, stage: stage}, nil
}

func (s *suspects) key(worker string, seq uint64) string {
	return string(s.stage) + "." + worker + "." + strconv.FormatUint(seq, 10)
}

// begin returns how many workers died with the message, and marks that
// another one now takes it up.
func (s *suspects) begin(ctx context.Context, worker string, seq uint64) (deaths int, err error) {
	key := s.key(worker, seq)
	e, err := s.kv.Get(ctx, key)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
	case err != nil:
		return 0, fmt.Errorf("read the marks of message %d: %w", seq, err)
	default:
		if deaths, err = strconv.Atoi(string(e.Value())); err != nil {
			deaths = 0
		}
	}
	if _, err := s.kv.Put(ctx, key, []byte(strconv.Itoa(deaths+1))); err != nil {
		return 0, fmt.Errorf("mark message %d: %w", seq, err)
	}
	return deaths, nil
}

func (s *suspects) end(ctx context.Context, worker string, seq uint64) error {
	if err := s.kv.Purge(ctx, s.key(worker, seq)); err != nil {
		return fmt.Errorf("remove the mark of message %d: %w", seq, err)
	}
	return nil
}
