package indexer

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// unseenFor is how long a deletion may stay unseen. Queries leave out what is
// not listed any more, so a refresh of its own is not worth its price while
// writes, each with one, follow.
const unseenFor = time.Second

// unseen knows of deletions that no refresh has made visible yet.
type unseen struct {
	deletions atomic.Uint64 // made so far
	seen      atomic.Uint64 // of them, when the last refresh that succeeded began
	wake      chan struct{}
}

// refresh makes everything visible that was applied before the call.
func (s *side[E]) refresh(ctx context.Context) error {
	n := s.unseen.deletions.Load()
	if err := s.store.Refresh(ctx); err != nil {
		return err
	}
	s.unseen.seen.Store(n)
	return nil
}

// deleted notes deletions that were applied without a refresh.
func (s *side[E]) deleted() {
	s.unseen.deletions.Add(1)
	select {
	case s.unseen.wake <- struct{}{}:
	default: // it is awake
	}
}

// showDeletions refreshes the store for deletions that no write has made visible
// in time, until ctx ends and then once more. A failure is a write's to report;
// here it is tried again.
func (s *side[E]) showDeletions(ctx context.Context) {
	for {
		select {
		case <-s.unseen.wake:
		case <-ctx.Done():
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), unseenFor)
			defer cancel()
			s.showAll(ending, s.unseen.deletions.Load())
			return
		}
		for s.unseen.seen.Load() < s.unseen.deletions.Load() {
			n := s.unseen.deletions.Load()
			if !pause(ctx, unseenFor) {
				break
			}
			s.showAll(ctx, n)
		}
	}
}

// showAll makes the first n deletions visible.
func (s *side[E]) showAll(ctx context.Context, n uint64) {
	if s.unseen.seen.Load() >= n {
		return
	}
	if err := s.refresh(ctx); err != nil {
		s.log.Debug("deletions are not visible yet", "sink", s.sink, "error", err)
	}
}

// list is what the store holds, without what any process has deleted from it
// before the call.
func (s *side[E]) list(ctx context.Context) iter.Seq2[store.Ref, error] {
	return func(yield func(store.Ref, error) bool) {
		if err := s.refresh(ctx); err != nil {
			yield(store.Ref{}, fmt.Errorf("list the %s store: %w", s.sink, err))
			return
		}
		for ref, err := range s.store.IDs(ctx, store.Scope{}) {
			if err != nil {
				err = fmt.Errorf("list the %s store: %w", s.sink, err)
			}
			if !yield(ref, err) || err != nil {
				return
			}
		}
	}
}

// holding lists what the store holds of documents, as list does.
func (s *side[E]) holding(ctx context.Context, docs ...docKey) (map[docKey][]document.ChunkID, error) {
	if err := s.refresh(ctx); err != nil {
		return nil, fmt.Errorf("list the %s store: %w", s.sink, err)
	}
	out := make(map[docKey][]document.ChunkID, len(docs))
	for _, d := range docs {
		for ref, err := range s.store.IDs(ctx, store.Scope{Source: d.source, Doc: d.doc}) {
			if err != nil {
				return nil, fmt.Errorf("list the %s store: %w", s.sink, err)
			}
			out[d] = append(out[d], ref.ID)
		}
	}
	return out, nil
}
