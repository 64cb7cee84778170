package recall

import (
	"context"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Statistics are the counts of a query's terms in several lexical stores. A
// store weighs a term by how rare it is there; a few documents beside a large
// tree of code would then be on a scale of their own, where nothing is rare.
// So each store is asked with weights that put it on the scale of all.
type Statistics struct {
	stores map[document.Generation]store.Counts
	all    store.Counts
}

// Count asks the stores for their statistics.
func Count(ctx context.Context, stores map[document.Generation]Lexical, terms []store.Term) (*Statistics, error) {
	tokens := make([]string, len(terms))
	for i, t := range terms {
		tokens[i] = t.Token
	}
	st := &Statistics{stores: map[document.Generation]store.Counts{}, all: store.Counts{With: make([]int, len(terms))}}
	for g, s := range stores {
		c, err := s.Counts(ctx, tokens)
		if err != nil {
			return nil, fmt.Errorf("count in generation %s: %w", g, err)
		}
		st.stores[g] = c
		st.all.Add(c)
	}
	return st, nil
}

// IDF is the idf of term i over all stores.
func (st *Statistics) IDF(i int) float64 { return st.all.IDF(i) }

// Has reports whether term i was counted: a search may have got more terms since.
func (st *Statistics) Has(i int) bool { return i < len(st.all.With) }

// With is the number of passages in all stores that hold term i, 0 for one that was
// not counted.
func (st *Statistics) With(i int) int {
	if !st.Has(i) {
		return 0
	}
	return st.all.With[i]
}

// Chunks is the number of passages in all stores that hold anything.
func (st *Statistics) Chunks() int { return st.all.Chunks }

// onScale returns the terms with weights that turn a store's own idf into
// that over all stores.
func (st *Statistics) onScale(g document.Generation, terms []store.Term) []store.Term {
	own, ok := st.stores[g]
	if !ok || len(st.stores) < 2 {
		return terms
	}
	out := make([]store.Term, len(terms))
	for i, t := range terms {
		out[i] = t
		if idf := own.IDF(i); idf > 0 {
			out[i].Weight *= st.all.IDF(i) / idf
		}
	}
	return out
}
