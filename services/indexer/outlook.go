package indexer

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// outlook is what the last look at a store has shown, for the log and the
// status. Only the process that looks after the store has one.
type outlook struct {
	mu    sync.Mutex
	store store.Mark
	count int // chunks
	err   error

	filled atomic.Bool // with what the log listed at the start
}

// note keeps how a look at the store ended, and logs trouble once.
func (s *holder) note(err error) {
	o := &s.outlook
	o.mu.Lock()
	news := (err == nil) != (o.err == nil) || err != nil && err.Error() != o.err.Error()
	o.err = err
	o.mu.Unlock()
	switch {
	case news && err != nil:
		s.log.Warn("the store is not looked after", "generation", s.generation, "sink", s.sink, "error", err)
	case news:
		s.log.Info("the store is looked after again", "generation", s.generation, "sink", s.sink)
	}
}

// show keeps what the status tells of the store; the zero Mark is nothing.
func (s *holder) show(m store.Mark, count int) {
	s.outlook.mu.Lock()
	defer s.outlook.mu.Unlock()
	s.outlook.store, s.outlook.count = m, count
}

// looked returns what the last look has shown; without an ID where another
// process looks after the store, or none has yet.
func (s *holder) looked() (contract.StoreInfo, error) {
	o := &s.outlook
	o.mu.Lock()
	defer o.mu.Unlock()
	return contract.StoreInfo{Generation: s.generation, Sink: s.sink, ID: o.store.ID, Chunks: o.count, Position: o.store.Position}, o.err
}

// trusted returns nil where the store is the one that the log knows and not
// behind it.
func (s *holder) trusted(ctx context.Context) error {
	record := s.bus.Records().Get(bus.RecordKey{Generation: s.generation, Sink: s.sink})
	if record.Store == "" {
		return document.Errorf(document.Unavailable, "the %s store of %s is not set up yet", s.sink, s.generation)
	}
	mark, err := s.store.Mark(ctx)
	if err != nil {
		return err
	}
	if mark.ID != record.Store || mark.Position < record.Position {
		return document.Errorf(document.Unavailable, "the %s store of %s is not the one that the log knows: it is being looked at", s.sink, s.generation)
	}
	return nil
}

// Holds reports whether the store holds what INDEXED lists for an id at a
// sequence.
func (s *holder) Holds(id string, seq uint64) bool {
	return s.record().Holds(id, seq)
}

func (s *holder) record() contract.StoreRecord {
	return s.bus.Records().Get(bus.RecordKey{Generation: s.generation, Sink: s.sink})
}
