package verify

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/indexer/internal/judge"
)

// Deps are what a comparison works with: the log, and of the indexer what follows.
type Deps struct {
	Bus *bus.Bus
	Log *slog.Logger
	// Version is the program's, for discovery.
	Version string
	// Every is the time between comparisons that nobody asks for, Heads that between
	// looks at the heads of the log alone.
	Every, Heads time.Duration
	// Stores are those that are worked on now.
	Stores func() []Store
	// Chunker is the consumer of the chunker that makes a generation, by which a
	// comparison tells what is on its way from what was lost, and the build under which
	// stands what it gave up on.
	Chunker func(document.Generation) (contract.Consumer, contract.BuildID)
	// Collections are those of the build that a generation is of.
	Collections func(document.Generation) []document.Collection
}

// Document names a document of the log.
type Document struct {
	Source document.Source
	Doc    document.DocID
}

// Store is the store of one sink of one generation: what it holds, and how it is
// brought to what the log asks for.
type Store interface {
	Place() (document.Generation, document.Sink)
	// Reads tells what a message of the sink's input asks the store to hold, and which
	// passages of it have nothing that could be held.
	Reads(head contract.OutputHead, header func(string) string, body []byte) (ids, bare []document.ChunkID, err error)
	// Tally reads all ids that the store holds of the wanted sources, and keeps a sum
	// for each document.
	Tally(ctx context.Context, wants func(document.Source) bool, tell func(n int) error) (map[Document]judge.Sum, error)
	// Holding lists what the store holds of documents.
	Holding(ctx context.Context, docs ...Document) (map[Document][]document.ChunkID, error)
	// Holds reports whether the store holds what INDEXED lists for an id at a sequence.
	Holds(id string, seq uint64) bool
	// Rest waits until the batches that run now have ended.
	Rest(ctx context.Context) error
	// Restore brings documents to what the heads of the input ask for.
	Restore(ctx context.Context, docs []Document) (written int, err error)
	// Remove deletes ids and makes that visible.
	Remove(ctx context.Context, ids []document.ChunkID) error
}

// generation is one generation with its two stores.
type generation struct {
	name document.Generation
	// collections are those of its build.
	collections []document.Collection
	stores      map[document.Sink]Store
	held        map[document.Sink]map[Document]judge.Sum
	counts      contract.VerifyGeneration
	later       []*look // documents that were on their way
}

// generations groups the stores by generation, in the order of their names. One of
// which a store is not worked on yet is not there.
func (d *Deps) generations() []*generation {
	all := map[document.Generation]*generation{}
	for _, s := range d.Stores() {
		name, sink := s.Place()
		if all[name] == nil {
			all[name] = &generation{
				name: name, collections: d.Collections(name), stores: map[document.Sink]Store{}, held: map[document.Sink]map[Document]judge.Sum{},
				counts: contract.VerifyGeneration{Generation: name, Listed: map[document.Sink]int{}, Held: map[document.Sink]int{}},
			}
		}
		all[name].stores[sink] = s
	}
	maps.DeleteFunc(all, func(_ document.Generation, g *generation) bool { return len(g.stores) < len(document.Sinks) })
	return slices.SortedFunc(maps.Values(all), func(a, b *generation) int { return cmp.Compare(a.name, b.name) })
}
