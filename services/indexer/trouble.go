package indexer

import (
	"context"
	"sync"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// trouble is what a store's keeper last had to say, for the log and the
// status.
type trouble struct {
	mu  sync.Mutex
	err error
}

// set notes how a look at the store ended; true where that is news.
func (t *trouble) set(err error) (news bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	news = (err == nil) != (t.err == nil) || err != nil && err.Error() != t.err.Error()
	t.err = err
	return news
}

// complaint is what is wrong with the store, nil where nothing is.
func (s *side[E]) complaint() error {
	s.trouble.mu.Lock()
	defer s.trouble.mu.Unlock()
	return s.trouble.err
}

// note keeps what the keeper has to say, and logs it once.
func (s *side[E]) note(err error) {
	switch news := s.trouble.set(err); {
	case news && err != nil:
		s.log.Warn("the store is not looked after", "generation", s.generation, "sink", s.sink, "error", err)
	case news:
		s.log.Info("the store is looked after again", "generation", s.generation, "sink", s.sink)
	}
}

// trusted returns nil where the store is the one that the log knows and not
// behind it.
func (s *side[E]) trusted(ctx context.Context) error {
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

// holds reports whether the store holds what INDEXED lists for a store at a
// sequence.
func (s *side[E]) holds(store string, seq uint64) bool {
	return s.record().Holds(store, seq)
}

func (s *side[E]) record() contract.StoreRecord {
	return s.bus.Records().Get(bus.RecordKey{Generation: s.generation, Sink: s.sink})
}
