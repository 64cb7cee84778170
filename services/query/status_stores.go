package query

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/freshness"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
)

// mark is what a store says of itself, and what was known of it before.
type mark struct {
	generation document.Generation
	sink       document.Sink
	known      contract.StoreRecord
	has        store.Mark
	err        error
}

// marks asks all stores at the same time.
func (s *stores) marks(ctx context.Context, records *bus.Records) []mark {
	var all []mark
	for _, g := range slices.Sorted(maps.Keys(s.sinks)) {
		all = append(all, mark{generation: g, sink: document.Lexical}, mark{generation: g, sink: document.Vector})
	}
	var asking errgroup.Group
	for i := range all {
		m := &all[i]
		m.known = records.Get(bus.RecordKey{Generation: m.generation, Sink: m.sink})
		asking.Go(func() error {
			m.has, m.err = s.Mark(ctx, m.generation, m.sink)
			return nil
		})
	}
	_ = asking.Wait() // each keeps its own error
	return all
}

// tellStores reports whether each store is the one of which it is listed what it
// lacks. Of another one, which has just been made, exchanged or put back, the list
// says nothing, so that nothing pending would not mean that all is there. The marks
// were read before what is pending was counted.
func (s state) tellStores(r *contract.StatusReply, marks []mark) (known bool) {
	known = true
	listed := listedStores(s.index)
	told := map[document.Sink]bool{}
	for _, m := range marks {
		id := listed.Store(m.generation, m.sink)
		if m.err == nil && m.known.Store == id && recall.Known(m.known, m.has) {
			continue
		}
		if id != "" && !told[m.sink] { // else no indexer has begun
			told[m.sink] = true
			worsen(r, string(m.sink)+": "+m.lack())
		}
		known = false
	}
	return known
}

// lack says why it is not known what a store holds.
func (m *mark) lack() string {
	if m.err != nil {
		return m.err.Error()
	}
	return recall.ErrUnknown.Error()
}

// listedStores is a list of nothing pending, with the stores of which it is listed now
// what they lack.
func listedStores(index *freshness.Index) freshness.Listing {
	none := freshness.Scope{Group: func(document.Source, document.View, document.Collection) bool { return false }}
	return index.Settle(context.Background(), 0, none, 0)
}
