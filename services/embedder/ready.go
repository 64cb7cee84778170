package embedder

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Ready waits until the service knows what is done already, and works on the
// rest.
func (s *Service) Ready(ctx context.Context) error {
	return s.deps.Bus.Outputs(contract.StreamVectors).Ready(ctx)
}
