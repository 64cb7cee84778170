package watcher

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Ready returns nil when every source that was asked for is being watched.
func (s *Service) Ready(context.Context) error {
	if !s.watching.Load() {
		return document.Errorf(document.Unavailable, "the watcher is still opening its sources")
	}
	return nil
}
