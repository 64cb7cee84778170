package watcher

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// role is what one watcher of a deployment has at a time. Two would list each
// other's sources as not watched, and read every change twice.
const role = "watcher"

// reserveAfter is how long it may take to get a role that is free, or that
// belongs to a process that was just killed.
const reserveAfter = 3 * time.Second

// Run watches the configured roots and serves requests until ctx ends; then it
// stops every source and returns nil. A root that cannot be watched is an
// error at once. While another watcher runs on the same log, this one waits in
// reserve, and takes over when that one has ended.
func (s *Service) Run(ctx context.Context) error {
	waiting := time.AfterFunc(reserveAfter, func() {
		s.reserve.Store(true)
		s.log.Warn("this watcher waits in reserve, and its sources are not watched: another one has the log until it ends, or the log does not answer")
	})
	defer waiting.Stop()
	return s.bus.RunAlone(ctx, role, func(ctx context.Context) error {
		waiting.Stop()
		if s.reserve.Swap(false) {
			s.log.Warn("the other watcher has ended: this one takes over")
		}
		defer waiting.Reset(reserveAfter)
		return s.lead(ctx)
	})
}

// Ready returns nil when every source that was asked for is being watched, or
// when this watcher waits in reserve.
func (s *Service) Ready(context.Context) error {
	if !s.watching.Load() && !s.reserve.Load() {
		return document.Errorf(document.Unavailable, "the watcher is still opening its sources")
	}
	return nil
}
