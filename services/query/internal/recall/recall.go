// Package recall asks the two sinks for passages.
package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// Lexical is a lexical store as a search needs it.
type Lexical interface {
	Search(ctx context.Context, terms []store.Term, filter store.Filter, k int) ([]store.Hit, error)
	Counts(ctx context.Context, tokens []string) (store.Counts, error)
}

// Vector is a vector store as a search needs it.
type Vector interface {
	Search(ctx context.Context, query embed.Vector, filter store.Filter, k int) ([]store.Hit, error)
}

// Channel is one sink over several generations.
type Channel map[document.Generation]func(ctx context.Context, filter store.Filter, k int) ([]store.Hit, error)

// LexicalChannel searches stores for terms, by statistics.
func LexicalChannel(stores map[document.Generation]Lexical, terms []store.Term, st *Statistics) Channel {
	c := Channel{}
	for g, s := range stores {
		c[g] = func(ctx context.Context, filter store.Filter, k int) ([]store.Hit, error) {
			return s.Search(ctx, st.onScale(g, terms), filter, k)
		}
	}
	return c
}

// VectorChannel searches stores for the neighbours of a vector.
func VectorChannel(stores map[document.Generation]Vector, query embed.Vector) Channel {
	c := Channel{}
	for g, s := range stores {
		c[g] = func(ctx context.Context, filter store.Filter, k int) ([]store.Hit, error) {
			return s.Search(ctx, query, filter, k)
		}
	}
	return c
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
	generations := make([]document.Generation, 0, len(c))
	for g := range c {
		generations = append(generations, g)
	}
	slices.Sort(generations)
	lists := make([][]store.Hit, len(generations))
	group, ctx := errgroup.WithContext(ctx)
	search := func(i int) error {
		hits, err := c[generations[i]](ctx, filter, k)
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
	if err := errors.Join(group.Wait(), own); err != nil {
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

// ByScore orders the best first, ties by id.
func ByScore(a, b candidate.Found) int {
	switch {
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	}
	return a.ID.Compare(b.ID)
}
