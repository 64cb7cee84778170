package verify

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// backlog tells which messages each stage has not done with yet.
type backlog map[contract.Stage]stretch

// stretch is what a consumer has left: nothing, or only messages behind floor.
type stretch struct {
	busy  bool
	floor uint64
}

// waits reports whether a message may still be on its way through a stage.
func (b backlog) waits(stage contract.Stage, seq uint64) bool {
	s := b[stage]
	return s.busy && seq > s.floor
}

// backlog asks the leaders how far the stages of a generation are.
func (x *looker) backlog(ctx context.Context, g document.Generation) (backlog, error) {
	out := backlog{}
	chunker, _ := x.Chunker(g)
	for _, c := range []contract.Consumer{
		chunker, contract.EmbedderConsumer(g),
		contract.IndexerConsumer(g, document.Lexical), contract.IndexerConsumer(g, document.Vector),
	} {
		if c.Name == "" {
			continue
		}
		cons, err := x.Bus.JetStream().Consumer(ctx, c.Stream, c.Name)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			out[c.Stage] = stretch{busy: true} // it was never started: all of it waits
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("ask how far the %s is: %w", c.Stage, err)
		}
		info := cons.CachedInfo()
		out[c.Stage] = stretch{busy: info.NumPending > 0 || info.NumAckPending > 0, floor: info.AckFloor.Stream}
	}
	return out, nil
}
