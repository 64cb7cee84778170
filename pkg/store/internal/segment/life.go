package segment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// maintain is the set's goroutine: it merges when woken, takes snapshots, and
// ends with s.life.
func (s *Set[E, P]) maintain(every time.Duration) {
	defer close(s.done)
	var ticks <-chan time.Time
	if every > 0 {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.wake:
			more, err := s.mergeLarge()
			if err != nil && s.life.Err() == nil {
				s.saveErr.Store(&err)
			}
			if more {
				s.wakeUp() // a snapshot may come between two merges
			}
		case <-ticks:
			// The error is kept for SnapshotErr; the next tick tries again.
			_ = s.save()
		}
	}
}

// Close takes a last snapshot and releases the folder. Closing again is nil.
func (s *Set[E, P]) Close() error {
	if !s.shut("closed: open it again") {
		return nil
	}
	err := s.save()
	return errors.Join(err, s.lock.release())
}

// Drop deletes the store with its folder.
func (s *Set[E, P]) Drop(ctx context.Context) error {
	s.mu.Lock()
	err := s.open(ctx)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if !s.shut("dropped: open it anew") {
		return nil
	}
	s.saving.Lock() // a Snapshot under way must not write behind the removal
	defer s.saving.Unlock()
	s.dropped = true
	err = os.RemoveAll(s.dir)
	if err != nil {
		err = fmt.Errorf("drop the store: %w", err)
	}
	return errors.Join(err, s.lock.release())
}

// shut refuses further calls and waits for the goroutine; false when that was
// done before.
func (s *Set[E, P]) shut(why string) bool {
	s.mu.Lock()
	if s.closed != nil {
		s.mu.Unlock()
		return false
	}
	s.closed = document.Errorf(document.Unavailable, "the %s store in %s is %s", s.layout.Kind, s.dir, why)
	s.view.Store(nil)
	s.mu.Unlock()
	s.end()
	<-s.done
	return true
}
