package indexer

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/indexer/internal/judge"
)

// tally reads all ids that the store holds of the wanted sources. A million of
// them are a few bytes a passage in the store's own hands, and a sum for each
// document here.
func (s *holder) tally(ctx context.Context, wants func(document.Source) bool, tell func(n int) error) (map[docKey]judge.Sum, error) {
	held := map[docKey]judge.Sum{}
	n := 0
	for ref, err := range s.list(ctx, store.Scope{}) {
		if err != nil {
			return nil, err
		}
		if !wants(ref.Source) {
			continue
		}
		k := docKey{ref.Source, ref.Doc}
		sum := held[k]
		sum.Add(ref.ID)
		held[k] = sum
		if n++; n%1024 == 0 {
			if err := tell(n); err != nil {
				return nil, err
			}
		}
	}
	return held, nil
}

// rest waits until the batches that run now have ended: between its publish
// and its drop, a batch leaves in the store what is not listed any more.
func (s *side[E]) rest(ctx context.Context) error { return s.running.wait(ctx) }

// shelves groups the sides by generation, in the order of their names.
func (s *Service) shelves() []*shelf {
	all := map[document.Generation]*shelf{}
	for _, side := range s.open() {
		g, sink := side.place()
		if all[g] == nil {
			all[g] = &shelf{
				generation: g, sides: map[document.Sink]sideRunner{}, held: map[document.Sink]map[docKey]judge.Sum{},
				counts: contract.VerifyGeneration{Generation: g, Listed: map[document.Sink]int{}, Held: map[document.Sink]int{}},
			}
		}
		all[g].sides[sink] = side
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *shelf) int { return cmp.Compare(a.generation, b.generation) })
}
