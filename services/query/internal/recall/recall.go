// Package recall asks the two sinks for passages.
package recall

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/near"
)

// Lexical is a lexical store as a search needs it.
type Lexical interface {
	Search(ctx context.Context, terms []store.Term, filter store.Filter, k int) ([]store.Hit, error)
	Counts(ctx context.Context, tokens []string) (store.Counts, error)
	Beginning(ctx context.Context, prefix string, limit int) ([]string, error)
	PeekMark(ctx context.Context) (store.Mark, error)
}

// Vector is a vector store as a search needs it.
type Vector interface {
	Search(ctx context.Context, query embed.Vector, filter store.Filter, k int) ([]store.Hit, error)
	PeekMark(ctx context.Context) (store.Mark, error)
}

// Channel is one sink over several generations.
type Channel struct {
	search map[document.Generation]func(ctx context.Context, filter store.Filter, k int) ([]store.Hit, error)
	mark   map[document.Generation]func(ctx context.Context) (store.Mark, error)
	known  func(document.Generation) contract.StoreRecord
}

// LexicalChannel searches stores for terms, by statistics. known tells what
// the log knows of the store of a generation.
func LexicalChannel(stores map[document.Generation]Lexical, known func(document.Generation) contract.StoreRecord, terms []store.Term, st *Statistics) Channel {
	c := newChannel(known)
	for g, s := range stores {
		c.mark[g] = s.PeekMark
		c.search[g] = func(ctx context.Context, filter store.Filter, k int) ([]store.Hit, error) {
			return s.Search(ctx, st.onScale(g, terms), filter, k)
		}
	}
	return c
}

// VectorChannel searches stores for the neighbours of a question, of which each
// collection has a vector: one that has none is left out. known tells what the log knows
// of the store of a generation.
func VectorChannel(stores map[document.Generation]Vector, known func(document.Generation) contract.StoreRecord, queries map[document.Collection]near.Query) Channel {
	c := newChannel(known)
	for g, s := range stores {
		query, ok := queries[contract.CollectionOf(g)]
		if !ok {
			continue
		}
		c.mark[g] = s.PeekMark
		c.search[g] = func(ctx context.Context, filter store.Filter, k int) ([]store.Hit, error) {
			hits, err := s.Search(ctx, query.Vector, filter, k)
			for i := range hits {
				hits[i].Score = query.Scale.Of(hits[i].Score)
			}
			return hits, err
		}
	}
	return c
}

func newChannel(known func(document.Generation) contract.StoreRecord) Channel {
	return Channel{
		search: map[document.Generation]func(context.Context, store.Filter, int) ([]store.Hit, error){},
		mark:   map[document.Generation]func(context.Context) (store.Mark, error){},
		known:  known,
	}
}

// ask searches one store. A store that was wiped, exchanged or put back to an
// older copy would leave out what INDEXED lists for it, so its mark is read
// after the search and has to be at least what was known before it. A store that is given
// another id just now, as where an indexer takes over from one that was killed, is asked
// once more when it has it, as long as ctx lasts.
func (c Channel) ask(ctx context.Context, g document.Generation, filter store.Filter, k int) ([]store.Hit, error) {
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		known := c.known(g)
		hits, err := c.search[g](ctx, filter, k)
		if err != nil {
			return nil, err
		}
		mark, err := c.mark[g](ctx)
		if err != nil {
			return nil, err
		}
		switch {
		case Known(known, mark):
			return hits, nil
		case c.known(g).Store != known.Store: // meanwhile
		case !known.WasCalled(mark.ID):
			return nil, ErrUnknown
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ErrUnknown
		}
	}
}

// A store gets its id within one write after the log knows it, or from the next indexer
// where the one that was to write it is killed: these are the pauses between two looks.
const (
	firstWait = 20 * time.Millisecond
	lastWait  = 320 * time.Millisecond
)

// ErrUnknown is told of a store that is not the one that the log knows.
var ErrUnknown = document.Errorf(document.Unavailable, "the store was exchanged or went back; the indexer is to fill it from the log")

// Known reports whether a store with a mark is the one that the log knows by a record,
// with no less than was known of it then.
func Known(record contract.StoreRecord, mark store.Mark) bool {
	return record.Store != "" && mark.ID == record.Store && mark.Position >= record.Position
}

// Result is what a channel found, best first.
type Result struct {
	Found []candidate.Found
	// More is true where a store gave as many as it was asked for, so that
	// asking for more may give more.
	More bool
}

// Search asks every generation for k passages that pass keep, and merges them
// by score: the scores of a sink are on one scale across generations. The
// first error ends it.
func (c Channel) Search(ctx context.Context, filter store.Filter, k int, keep func(*store.Attrs) bool) (Result, error) {
	generations := make([]document.Generation, 0, len(c.search))
	for g := range c.search {
		generations = append(generations, g)
	}
	slices.Sort(generations)
	lists := make([][]store.Hit, len(generations))
	group, ctx := errgroup.WithContext(ctx)
	search := func(i int) error {
		hits, err := c.ask(ctx, generations[i], filter, k)
		if err != nil {
			return fmt.Errorf("search generation %s: %w", generations[i], err)
		}
		lists[i] = hits
		return nil
	}
	// The caller's goroutine has a processor; on a busy machine another one
	// waits for its turn.
	var own error
	if last := len(generations) - 1; last >= 0 {
		for i := range last {
			group.Go(func() error { return search(i) })
		}
		own = search(last)
	}
	err := group.Wait()
	if err == nil {
		err = own // else that is what another one's end has made of it
	}
	if err != nil {
		return Result{}, err
	}
	var r Result
	for i, hits := range lists {
		r.More = r.More || len(hits) >= k
		for j := range hits {
			h := &hits[j]
			if keep == nil || keep(&h.Attrs) {
				r.Found = append(r.Found, candidate.Found{ID: h.ID, Score: h.Score, Attrs: h.Attrs, Generation: generations[i]})
			}
		}
	}
	if len(lists) > 1 {
		slices.SortStableFunc(r.Found, ByScore)
	}
	return r, nil
}

// ByScore orders the best first, ties as a store does.
func ByScore(a, b candidate.Found) int {
	switch {
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	}
	return store.CompareTied(&a.Attrs, &b.Attrs, a.ID, b.ID)
}
