package indexer

import (
	"context"
	"maps"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Ready waits until the service knows what is done already, and asks every
// store for an answer.
func (s *Service) Ready(ctx context.Context) error {
	if err := s.deps.Bus.Outputs(contract.StreamIndexed).Ready(ctx); err != nil {
		return err
	}
	for _, g := range slices.Sorted(maps.Keys(s.deps.Generations)) {
		if _, err := s.deps.Generations[g].Lexical.Count(ctx); err != nil {
			return err
		}
		if _, err := s.deps.Generations[g].Vector.Count(ctx); err != nil {
			return err
		}
	}
	return nil
}
