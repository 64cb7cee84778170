package query

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
)

// shelf is the stores by generation and collection. It does not change.
type shelf struct {
	stores     map[document.Generation]store.Sinks
	current    map[document.Collection]document.Generation
	collection map[document.Generation]document.Collection
}

// newShelf reads the collection of each generation off its name.
func newShelf(stores map[document.Generation]store.Sinks) (*shelf, error) {
	s := &shelf{stores: stores, current: map[document.Collection]document.Generation{}, collection: map[document.Generation]document.Collection{}}
	for _, g := range slices.Sorted(maps.Keys(stores)) {
		i := strings.LastIndexByte(string(g), '-')
		if i < 1 {
			return nil, document.Errorf(document.InvalidRequest, "generation %q is not of the form COLLECTION-SIGNATURE", g)
		}
		if stores[g].Lexical == nil || stores[g].Vector == nil {
			return nil, document.Errorf(document.InvalidRequest, "generation %s lacks a store", g)
		}
		c := document.Collection(g[:i])
		if other, ok := s.current[c]; ok {
			return nil, document.Errorf(document.InvalidRequest, "generations %s and %s are both of the collection %s: search one of them", other, g, c)
		}
		s.current[c], s.collection[g] = g, c
	}
	return s, nil
}

// Generation returns the one in which a collection is searched.
func (s *shelf) Generation(c document.Collection) (document.Generation, bool) {
	g, ok := s.current[c]
	return g, ok
}

// Build is the one that all generations are of.
func (s *shelf) Build() (id contract.BuildID) {
	for g := range s.stores {
		return contract.BuildOf(g)
	}
	return ""
}

// Generations lists what is searched, in order.
func (s *shelf) Generations() []document.Generation { return slices.Sorted(maps.Keys(s.stores)) }

// Collections lists what is searched, in order.
func (s *shelf) Collections() []document.Collection { return slices.Sorted(maps.Keys(s.current)) }

// Mark returns what the store behind a sink says of itself.
func (s *shelf) Mark(ctx context.Context, g document.Generation, sink document.Sink) (store.Mark, error) {
	if sink == document.Lexical {
		return s.stores[g].Lexical.Mark(ctx)
	}
	return s.stores[g].Vector.Mark(ctx)
}

func (s *shelf) lexical(collections []document.Collection) map[document.Generation]recall.Lexical {
	out := map[document.Generation]recall.Lexical{}
	for _, c := range collections {
		out[s.current[c]] = s.stores[s.current[c]].Lexical
	}
	return out
}

func (s *shelf) vector(collections []document.Collection) map[document.Generation]recall.Vector {
	out := map[document.Generation]recall.Vector{}
	for _, c := range collections {
		out[s.current[c]] = s.stores[s.current[c]].Vector
	}
	return out
}
