package indexer

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// repairAfter is how long what queries report is gathered before it is looked
// at. Most of it was deleted just now and is not refreshed away yet.
const repairAfter = 2 * unseenFor

// repairMost bounds what is gathered.
const repairMost = 1024

// repairs follows the reports of queries that found what is not listed.
func (s *Service) repairs(ctx context.Context) error {
	g := &gathering{log: s.deps.Log, docs: map[bus.RecordKey]map[docKey]bool{}, some: make(chan struct{}, 1)}
	sub, err := g.listen(s.deps.Bus.Conn())
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	for {
		select {
		case <-g.some:
		case <-ctx.Done():
			return nil
		}
		select {
		case <-time.After(repairAfter):
		case <-ctx.Done():
			return nil
		}
		s.repair(ctx, g.take())
	}
}

// gathering is what was reported and not looked at yet. It is safe for concurrent use.
type gathering struct {
	log  *slog.Logger
	some chan struct{} // holds one where there is anything

	mu   sync.Mutex
	docs map[bus.RecordKey]map[docKey]bool // true: told by a purge
	n    int
}

// listen adds what is reported from now on. A removal reports thousands of documents
// at once, so that nothing waits in a report's way.
func (g *gathering) listen(nc *nats.Conn) (*nats.Subscription, error) {
	sub, err := nc.QueueSubscribe(contract.SubjectRepair, "indexer", func(m *nats.Msg) {
		var r contract.Repair
		if err := json.Unmarshal(m.Data, &r); err != nil {
			g.log.Warn("repair not understood", "error", err)
			return
		}
		g.add(bus.RecordKey{Generation: r.Generation, Sink: r.Sink}, docKey{Source: r.Source, Doc: r.Doc}, r.Purged)
	})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", contract.SubjectRepair, err)
	}
	return sub, nil
}

// add drops what is too much. Losing it costs nothing: the sweep finds the same.
func (g *gathering) add(k bus.RecordKey, d docKey, purged bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if before, ok := g.docs[k][d]; ok {
		g.docs[k][d] = before || purged
		return
	}
	if g.n == repairMost {
		return
	}
	if g.docs[k] == nil {
		g.docs[k] = map[docKey]bool{}
	}
	g.docs[k][d] = purged
	g.n++
	select {
	case g.some <- struct{}{}:
	default:
	}
}

// take returns what was gathered, and begins anew.
func (g *gathering) take() map[bus.RecordKey]map[docKey]bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	docs := g.docs
	g.docs, g.n = map[bus.RecordKey]map[docKey]bool{}, 0
	return docs
}

// repair looks at the documents that queries found something unlisted of, and at those
// of which a purge took out a listing.
func (s *Service) repair(ctx context.Context, gathered map[bus.RecordKey]map[docKey]bool) {
	s.former.using.RLock()
	defer s.former.using.RUnlock()
	for _, side := range s.open() {
		generation, sink := side.Place()
		docs := map[bool][]docKey{}
		for d, purged := range gathered[bus.RecordKey{Generation: generation, Sink: sink}] {
			docs[purged] = append(docs[purged], d)
		}
		for purged, docs := range docs {
			if err := side.repair(ctx, docs, purged); err != nil && ctx.Err() == nil {
				s.deps.Log.Warn("repair not done", "error", err)
			}
		}
	}
}

// repair compares documents with INDEXED. What a purge told is counted apart: what a
// query had to meet, nothing else would have removed before the next sweep.
func (s *side[E]) repair(ctx context.Context, docs []docKey, purged bool) error {
	held, err := s.Holding(ctx, docs...)
	if err != nil {
		return err
	}
	r, _, err := s.sweepDocs(ctx, docs, held)
	removed := &s.counters.swept
	if purged {
		removed = &s.counters.purged
	}
	removed.Add(uint64(r.Removed))
	if r.Removed > 0 && !purged {
		s.log.Warn("a query met passages that nobody lists: removed", "generation", s.generation, "sink", s.sink, "passages", r.Removed, "documents", len(docs), "one", docs[0])
	}
	return err
}
