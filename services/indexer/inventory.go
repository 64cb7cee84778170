package indexer

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/indexer/internal/judge"
)

// Tally reads all ids that the store holds of the wanted sources. A million of
// them are a few bytes a passage in the store's own hands, and a sum for each
// document here.
func (s *holder) Tally(ctx context.Context, wants func(document.Source) bool, tell func(n int) error) (map[docKey]judge.Sum, error) {
	held := map[docKey]judge.Sum{}
	n := 0
	for ref, err := range s.list(ctx, store.Scope{}) {
		if err != nil {
			return nil, err
		}
		if !wants(ref.Source) {
			continue
		}
		k := docKey{Source: ref.Source, Doc: ref.Doc}
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

// Rest waits until the batches that run now have ended: between its publish
// and its drop, a batch leaves in the store what is not listed any more.
func (s *side[E]) Rest(ctx context.Context) error { return s.running.wait(ctx) }

// Reads tells what a message of the input asks the store to hold.
func (s *side[E]) Reads(in contract.OutputHead, header func(string) string, body []byte) (ids, bare []document.ChunkID, err error) {
	w, err := s.decode(in, header, body)
	return w.ids, w.bare, err
}
