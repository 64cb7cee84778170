package indexer

import (
	"context"
	"fmt"
	"sync"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// lack is the stretch of INDEXED that a store may not hold, because it lost
// what came after its position: that of an embedded store is as old as its
// last snapshot after a crash. Until the store is refilled, what INDEXED lists
// there is not taken for shown, and the position stays where it is: queries
// read it to know what they cannot rely on, and so does the next start.
type lack struct {
	mu          sync.Mutex
	after, upTo uint64 // none when equal
	newest      uint64 // sequence that this process published
}

func (l *lack) includes(seq uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return seq > l.after && seq <= l.upTo
}

// readLack compares the store's position with what INDEXED lists for it. It
// runs before anything is written.
func (s *side[E]) readLack(ctx context.Context) error {
	table := s.bus.Outputs(contract.StreamIndexed)
	if err := table.Ready(ctx); err != nil {
		return err
	}
	position, err := s.store.Position(ctx)
	if err != nil {
		return fmt.Errorf("read the position of the %s store: %w", s.sink, err)
	}
	id, last := s.store.ID(), position
	table.Range(func(k bus.OutputKey, h contract.OutputHead) bool {
		if k.Generation == s.generation && k.Sink == s.sink && h.Store == id {
			last = max(last, h.Seq)
		}
		return true
	})
	s.lack.mu.Lock()
	defer s.lack.mu.Unlock()
	s.lack.after, s.lack.upTo = position, last
	return nil
}

// advance notes that a message of INDEXED was published. Every message of this
// sink is applied before it is published, so a store that lacks nothing is
// complete up to the newest.
func (s *side[E]) advance(ctx context.Context, seq uint64) error {
	s.lack.mu.Lock()
	defer s.lack.mu.Unlock()
	if seq <= s.lack.newest {
		return nil
	}
	s.lack.newest = seq
	if s.lack.after < s.lack.upTo {
		return nil
	}
	return s.store.SetPosition(ctx, seq)
}

// refilled notes that the store lacks nothing any more.
func (s *side[E]) refilled(ctx context.Context) error {
	s.lack.mu.Lock()
	defer s.lack.mu.Unlock()
	position := max(s.lack.upTo, s.lack.newest)
	s.lack.after, s.lack.upTo = position, position
	if position == 0 {
		return nil
	}
	if err := s.store.SetPosition(ctx, position); err != nil {
		return fmt.Errorf("keep the position of the %s store: %w", s.sink, err)
	}
	return nil
}
