package indexer

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// unfinished knows the documents of passes that failed between their first write and
// their last deletion. Such a pass leaves what a killed one leaves: passages that it
// wrote and nobody lists, or that it replaced and did not delete. The message comes
// again, and finds them on no list any more, or a newer one comes in its place. So these
// documents are compared with INDEXED. It is safe for concurrent use.
type unfinished struct {
	mu     sync.Mutex
	failed map[docKey]int // how many passes
	some   chan struct{}  // holds one where there is anything
}

func newUnfinished() unfinished {
	return unfinished{failed: map[docKey]int{}, some: make(chan struct{}, 1)}
}

func (u *unfinished) add(d docKey) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.failed[d]++
	select {
	case u.some <- struct{}{}:
	default:
	}
}

func (u *unfinished) has(d docKey) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.failed[d] > 0
}

// list returns the documents, and how many passes of each failed.
func (u *unfinished) list() map[docKey]int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.failed)
}

// forget takes out a document of which no further pass has failed.
func (u *unfinished) forget(d docKey, failed int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.failed[d] == failed {
		delete(u.failed, d)
	}
}

// A comparison that failed, or met a document as it changed, is made again after
// tidyAgain, and the next time after twice as long, up to tidySeldom: a message that no
// store takes may be the newest for good. One more pass that fails does not wait for that.
const (
	tidyAgain  = time.Second
	tidySeldom = time.Minute
)

// tidy compares the documents of failed passes with INDEXED until ctx ends, and then
// once more.
func (s *side[E]) tidy(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-s.unfinished.some:
		case <-ctx.Done():
		}
		for again := tidyAgain; ctx.Err() == nil && s.tidyOnce(ctx); {
			select {
			case <-time.After(again):
				again = min(2*again, tidySeldom)
			case <-s.unfinished.some:
				again = tidyAgain
			case <-ctx.Done():
			}
		}
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer cancel()
	s.tidyOnce(ending)
}

// tidyOnce compares the documents that are known now, and reports whether one has to be
// looked at again.
func (s *side[E]) tidyOnce(ctx context.Context) (left bool) {
	failed := s.unfinished.list()
	for docs := range slices.Chunk(slices.Collect(maps.Keys(failed)), refillBatch) {
		held, err := s.Holding(ctx, docs...)
		var again []docKey
		if err == nil {
			_, again, err = s.sweepDocs(ctx, docs, held)
		}
		if err != nil {
			if ctx.Err() == nil {
				s.log.Debug("what failed batches left in the store is not looked at yet", "generation", s.generation, "sink", s.sink, "documents", len(failed), "error", err)
			}
			return true
		}
		left = left || len(again) > 0
		for _, d := range docs {
			if !slices.Contains(again, d) {
				s.unfinished.forget(d, failed[d])
			}
		}
	}
	return left
}
