package embedder

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Ready waits until the service knows what is done already, takes requests, and works
// on the rest.
func (s *Service) Ready(ctx context.Context) error {
	if err := s.deps.Bus.Outputs(contract.StreamVectors).Ready(ctx); err != nil || s.deps.Beside {
		return err
	}
	return s.Answering(ctx)
}
