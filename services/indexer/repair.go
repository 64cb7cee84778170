package indexer

import (
	"context"
	"encoding/json"
	"fmt"
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

// repairs follows the reports of queries that found what is not listed. Losing
// one costs nothing: the sweep finds the same.
func (s *Service) repairs(ctx context.Context) error {
	ch := make(chan *nats.Msg, 256)
	sub, err := s.deps.Bus.Conn().ChanQueueSubscribe(contract.SubjectRepair, "indexer", ch)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", contract.SubjectRepair, err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	var due <-chan time.Time
	gathered := map[bus.RecordKey]map[docKey]bool{}
	n := 0
	for {
		select {
		case <-ctx.Done():
			return nil
		case m := <-ch:
			var r contract.Repair
			if err := json.Unmarshal(m.Data, &r); err != nil {
				s.deps.Log.Warn("repair not understood", "error", err)
				continue
			}
			if n == repairMost {
				continue
			}
			k, d := bus.RecordKey{Generation: r.Generation, Sink: r.Sink}, docKey{r.Source, r.Doc}
			if gathered[k] == nil {
				gathered[k] = map[docKey]bool{}
			}
			if !gathered[k][d] {
				gathered[k][d] = true
				n++
			}
			if due == nil {
				due = time.After(repairAfter)
			}
		case <-due:
			s.repair(ctx, gathered)
			clear(gathered)
			due, n = nil, 0
		}
	}
}

// repair looks at the documents that queries found something unlisted of.
func (s *Service) repair(ctx context.Context, gathered map[bus.RecordKey]map[docKey]bool) {
	s.former.using.RLock()
	defer s.former.using.RUnlock()
	for _, side := range s.open() {
		generation, sink := side.place()
		var docs []docKey
		for d := range gathered[bus.RecordKey{Generation: generation, Sink: sink}] {
			docs = append(docs, d)
		}
		if len(docs) == 0 {
			continue
		}
		if err := side.repair(ctx, docs); err != nil && ctx.Err() == nil {
			s.deps.Log.Warn("repair not done", "error", err)
		}
	}
}

// repair compares documents with INDEXED.
func (s *side[E]) repair(ctx context.Context, docs []docKey) error {
	held, err := s.holding(ctx, docs...)
	if err != nil {
		return err
	}
	_, err = s.sweepDocs(ctx, docs, held)
	return err
}
