package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// testConcurrent lets writers, searchers and listers run against each other;
// it is worth most under the race detector.
func testConcurrent(t *testing.T, open opener) {
	t.Run("writersSearchersAndListers", func(t *testing.T) {
		const writers, rounds, perRound = 3, 40, 8
		ctx := context.Background()
		p := start(t, open)
		var writing, reading sync.WaitGroup
		stop := make(chan struct{})
		for range 2 {
			reading.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if err := consistent(ctx, p); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		want := make([][]document.ChunkID, writers)
		for w := range writers {
			writing.Go(func() {
				var previous []item
				for r := range rounds {
					var items []item
					for i := range perRound {
						items = append(items, chunk(document.Source(fmt.Sprintf("w%d", w)), document.Path(fmt.Sprintf("d/%d", i)), r))
					}
					// All but the first of the round before make room.
					var del []document.ChunkID
					if r > 0 {
						del = ids(previous[1:])
					}
					result, err := p.apply(ctx, items, del)
					if err == nil && (len(result.Put) != len(items) || len(result.Delete) != len(del)) {
						err = fmt.Errorf("the result has another length")
					}
					for _, e := range append(result.Put, result.Delete...) {
						if err == nil {
							err = e
						}
					}
					if err == nil {
						err = p.SetMark(ctx, store.Mark{ID: "one", Position: uint64(r)})
					}
					if err == nil {
						err = p.Refresh(ctx)
					}
					if err != nil {
						t.Error(err)
						return
					}
					want[w] = append(want[w], items[0].id)
					previous = items
				}
				want[w] = append(want[w], ids(previous[1:])...)
			})
		}
		writing.Wait()
		close(stop)
		reading.Wait()
		if t.Failed() {
			return
		}
		p.refresh(t)
		p.holds(t, slices.Concat(want...)...)
	})
}

// consistent checks what holds at any moment: hits and ids are distinct, hits
// are in order and pass the filter.
func consistent(ctx context.Context, p port) error {
	filter := store.Filter{Sources: []document.Source{"w0", "w1"}, Dirs: []string{"d"}}
	hits, err := p.find(ctx, filter, 50)
	if err != nil {
		return err
	}
	seen := make(map[document.ChunkID]bool)
	for i, h := range hits {
		if seen[h.ID] || !passes(h.Attrs, filter) {
			return fmt.Errorf("hit %d, %+v, stands twice or does not match", i, h)
		}
		seen[h.ID] = true
		if i > 0 && hits[i-1].Compare(&h) > 0 {
			return fmt.Errorf("hits %d and %d are out of order", i-1, i)
		}
	}
	clear(seen)
	for ref, err := range p.IDs(ctx, store.Scope{}) {
		if err != nil {
			return err
		}
		if seen[ref.ID] {
			return fmt.Errorf("%s is listed twice", ref.ID)
		}
		seen[ref.ID] = true
	}
	if _, err := p.Count(ctx); err != nil {
		return err
	}
	_, err = p.Mark(ctx)
	return err
}
