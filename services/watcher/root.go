package watcher

import (
	"io/fs"
	"os"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// rootEvery is the time between two looks at a source's root. No event tells
// that a folder above it was renamed, or that what was mounted there is gone.
const rootEvery = time.Second

// degradedRoot is what is degraded while the root cannot be read.
const degradedRoot = "root"

// watchRoot notes whether the root is there. When it has come back, or another
// folder stands in its place, everything is compared and watched anew.
func (s *source) watchRoot() {
	tick := time.NewTicker(rootEvery)
	defer tick.Stop()
	last, _ := s.lookAtRoot()
	for {
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			return
		}
		now, err := s.lookAtRoot()
		s.note(degradedRoot, err)
		if err == nil && (last == nil || !os.SameFile(last, now)) {
			if s.files != nil {
				s.files.Forget()
			}
			_, err := s.full(s.ctx, true)
			s.makeUp(s.ctx, err)
		}
		last = now
	}
}

// lookAtRoot returns what the root is; nil where it cannot be read.
func (s *source) lookAtRoot() (fs.FileInfo, error) {
	if s.files != nil {
		if err := s.disk().reachable(); err != nil {
			return nil, err
		}
	}
	info, err := os.Stat(s.place.root)
	if err != nil {
		return nil, document.Errorf(document.Unavailable, "the repository %s cannot be read: mount or restore it, or remove the source: %w", s.place.root, err)
	}
	return info, nil
}
