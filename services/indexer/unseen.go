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
}

// refresh makes everything visible that was applied before the call.
func (s *holder) refresh(ctx context.Context) error {
	n := s.unseen.deletions.Load()
	if err := s.store.Refresh(ctx); err != nil {
		return err
	}
	s.unseen.seen.Store(n)
	return nil
}

// showDeletions refreshes the store for deletions that no write has made visible
// in time, until ctx ends and then once more. A failure is a write's to report;
// here it is tried again.
func (s *holder) showDeletions(ctx context.Context) {
	tick := time.NewTicker(unseenFor / 2)
	defer tick.Stop()
	var old uint64 // deletions made before the last tick
	for {
		select {
		case <-tick.C:
			s.showAll(ctx, old)
			old = s.unseen.deletions.Load()
		case <-ctx.Done():
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), unseenFor)
			defer cancel()
			s.showAll(ending, s.unseen.deletions.Load())
			return
		}
	}
}

// showAll makes the first n deletions visible.
func (s *holder) showAll(ctx context.Context, n uint64) {
	if s.unseen.seen.Load() >= n {
		return
	}
	if err := s.refresh(ctx); err != nil {
		s.log.Debug("deletions are not visible yet", "sink", s.sink, "error", err)
	}
}

// list is what the store holds of each scope, without what any process has
// deleted from it before the call.
func (s *holder) list(ctx context.Context, scopes ...store.Scope) iter.Seq2[store.Ref, error] {
	return func(yield func(store.Ref, error) bool) {
		if err := s.refresh(ctx); err != nil {
			yield(store.Ref{}, fmt.Errorf("list the %s store: %w", s.sink, err))
			return
		}
		for _, scope := range scopes {
			for ref, err := range s.store.IDs(ctx, scope) {
				if err != nil {
					err = fmt.Errorf("list the %s store: %w", s.sink, err)
				}
				if !yield(ref, err) || err != nil {
					return
				}
			}
		}
	}
}

// Holding lists what the store holds of documents, as list does.
func (s *holder) Holding(ctx context.Context, docs ...docKey) (map[docKey][]document.ChunkID, error) {
	scopes := make([]store.Scope, len(docs))
	for i, d := range docs {
		scopes[i] = store.Scope{Source: d.Source, Doc: d.Doc}
	}
	out := make(map[docKey][]document.ChunkID, len(docs))
	for ref, err := range s.list(ctx, scopes...) {
		if err != nil {
			return nil, err
		}
		d := docKey{Source: ref.Source, Doc: ref.Doc}
		out[d] = append(out[d], ref.ID)
	}
	return out, nil
}
