package indexer

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// holder is the store of one sink of one generation, and what is known of it: by
// the log, by the last look, and of deletions that nobody has seen yet. What is
// written to it is a side's.
type holder struct {
	bus        *bus.Bus
	log        *slog.Logger
	generation document.Generation
	sink       document.Sink
	store      store.Store

	unseen   unseen
	outlook  outlook
	doubtful atomic.Bool // a write failed, so the store may come back as another
}

// Place says which store it is.
func (s *holder) Place() (document.Generation, document.Sink) { return s.generation, s.sink }

func (s *holder) key(source document.Source, doc document.DocID) bus.OutputKey {
	return bus.OutputKey{Generation: s.generation, Sink: s.sink, Source: source, Doc: doc}
}

// reachable returns an error where the store cannot be used as it is
// configured. One that does not answer now may do so later.
func (s *holder) reachable(ctx context.Context) error {
	_, err := s.store.Mark(ctx)
	switch document.KindOf(err) {
	case document.Unavailable, document.RateLimited, document.Deadline:
		return nil
	}
	return err
}

// known waits until the log knows the store; false when ctx ended before.
func (s *holder) known(ctx context.Context) bool {
	changed := make(chan struct{}, 1)
	defer s.bus.Records().Observe(func(bus.RecordKey, contract.StoreRecord, contract.StoreRecord) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})()
	for s.record().Store == "" {
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// heads reads the last messages of documents in the input or in INDEXED, in
// the order of docs; nil where there is none.
func (s *holder) heads(ctx context.Context, stream string, docs []docKey) ([]*bus.Msg, error) {
	subjects := make([]string, len(docs))
	for i, d := range docs {
		h := contract.OutputHead{Generation: s.generation, Sink: s.sink, Source: d.Source, Doc: d.Doc}
		subjects[i] = h.Subject(stream)
	}
	got, err := s.bus.GetLast(ctx, stream, subjects...)
	if err != nil {
		return nil, err
	}
	out := make([]*bus.Msg, len(docs))
	for i, subject := range subjects {
		out[i] = got[subject]
	}
	return out, nil
}

// trouble is what a worker returns for a write that failed as a whole.
func (s *holder) trouble(err error) error {
	s.doubtful.Store(true)
	return bus.StoreWide(fmt.Errorf("write to the %s store: %w", s.sink, err))
}
