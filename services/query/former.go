package query

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/freshness"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
)

// Former is a build that was complete, and that somebody goes on making. Answers
// are made of it until the log says that they are made of the configured one.
type Former struct {
	Build  contract.Build
	Stores map[document.Generation]store.Sinks
	// Held says why the configured build is not begun; nil, or a nil answer, where
	// it is. It may be called by many at once.
	Held func() *contract.HeldBuild
}

// handover knows who answers. Each request is answered by one of two engines as a
// whole, so that no answer mixes what is of two builds.
type handover struct {
	mu     sync.Mutex
	former *engine // nil once the configured build answers
	asked  sync.WaitGroup
	left   chan struct{}    // closed when nobody asks the former any more
	asks   contract.BuildID // what the former was made of; "" for none

	bus     *bus.Bus
	next    contract.Build // the configured one
	changes []contract.BuildChange
	held    func() *contract.HeldBuild // may be nil
}

// turn returns who answers a request that begins now; the caller says when it has
// ended.
func (s *Service) turn() (answers *engine, done func()) {
	h := &s.handover
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.former == nil {
		return s.configured, func() {}
	}
	h.asked.Add(1)
	return h.former, h.asked.Done
}

// handOver waits until the log names the configured build, then has it answer what
// begins from then on, and lets the former end what it has begun.
func (s *Service) handOver(ctx context.Context, end func()) error {
	follow, stop := context.WithCancel(ctx)
	defer stop()
	named := false
	bus.BuildsOf(s.bus).FollowServing(follow, func(now bus.Serving) {
		if now.Build == s.configured.build.ID() {
			named = true
			stop()
		}
	})
	if !named {
		return nil // the process ends
	}
	h := &s.handover
	h.mu.Lock()
	h.former = nil
	h.mu.Unlock()
	h.asked.Wait()
	end()
	close(h.left)
	s.log.Info("answers are made of what was built anew", "build", s.configured.build.ID())
	return nil
}

// FormerLeft is closed when nothing is asked of the former build any more; nil
// where there was none.
func (s *Service) FormerLeft() <-chan struct{} { return s.handover.left }

// Complete waits until the configured build shows everything that is in the log
// now, or lists it as failed: it lacks no more then than what answers at present.
// It returns an error where ctx ends first.
func (s *Service) Complete(ctx context.Context) error {
	last, err := s.bus.LastSeq(ctx, contract.StreamFiles)
	if err != nil {
		return err
	}
	if err := s.configured.index.Reach(ctx, last); err != nil {
		return fmt.Errorf("wait for the log's heads: %w", err)
	}
	if err := s.configured.filled(ctx); err != nil {
		return err
	}
	all := freshness.Scope{Group: func(document.Source, document.View, document.Collection) bool { return true }}
	if l := s.configured.index.Settle(ctx, last, all, 0); !l.Settled {
		return ctx.Err()
	}
	return nil
}

// filledEvery is the time between looks at stores that are not what the log says.
const filledEvery = 200 * time.Millisecond

// filled waits until every store is the one that the log knows. One that was made anew,
// since somebody has gone back to a build whose store was removed, has what is listed
// for it from when an indexer has looked at it; until then nothing would be pending,
// and nothing found.
func (s *engine) filled(ctx context.Context) error {
	for _, g := range s.stores.Generations() {
		for _, sink := range document.Sinks {
			for !s.recorded(ctx, g, sink) {
				select {
				case <-time.After(filledEvery):
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
	}
	return nil
}

// recorded reports whether a store says of itself what the log says of it, and is the one
// of which it is listed what it lacks. One that does not answer is not.
func (s *engine) recorded(ctx context.Context, g document.Generation, sink document.Sink) bool {
	record := s.bus.Records().Get(bus.RecordKey{Generation: g, Sink: sink})
	mark, err := s.stores.Mark(ctx, g, sink)
	listed := listedStores(s.index)
	return err == nil && recall.Known(record, mark) && listed.Store(g, sink) == record.Store
}

// next tells how far the configured build is while the former answers.
func (s *Service) next() *contract.NextBuild {
	n := &contract.NextBuild{Build: s.configured.build, Changes: s.handover.changes, Held: s.handover.isHeld()}
	s.bus.Files().Range(func(_ bus.FileKey, h contract.FileHead) bool {
		if h.Op == contract.OpPut {
			n.Documents++
		}
		return true
	})
	s.configured.index.Each(func(h *contract.FileHead, _, _ bool) {
		if h.Op == contract.OpPut {
			n.Pending++
		}
	})
	return n
}
