package query

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
)

// stores are those that answers are made of, by generation and collection. They do not change.
type stores struct {
	sinks   map[document.Generation]store.Sinks
	current map[document.Collection]document.Generation
	build   contract.BuildID // whose chunker makes them
}

// newStores reads the collection of each generation off its name. build is the one that
// they are of; "" where their names end with it.
func newStores(sinks map[document.Generation]store.Sinks, build contract.BuildID) (*stores, error) {
	s := &stores{sinks: sinks, build: build, current: map[document.Collection]document.Generation{}}
	for _, g := range slices.Sorted(maps.Keys(sinks)) {
		i := strings.LastIndexByte(string(g), '-')
		if i < 1 {
			return nil, document.Errorf(document.InvalidRequest, "generation %q is not of the form COLLECTION-SIGNATURE", g)
		}
		if sinks[g].Lexical == nil || sinks[g].Vector == nil {
			return nil, document.Errorf(document.InvalidRequest, "generation %s lacks a store", g)
		}
		c := document.Collection(g[:i])
		if other, ok := s.current[c]; ok {
			return nil, document.Errorf(document.InvalidRequest, "generations %s and %s are both of the collection %s: search one of them", other, g, c)
		}
		s.current[c] = g
		s.build = cmp.Or(s.build, contract.BuildOf(g))
	}
	return s, nil
}

// Place is the collection in which the documents of another are searched: the same, or
// where that is not searched, the one that it is like.
func (s *stores) Place(c document.Collection) document.Collection {
	if _, ok := s.current[c]; ok || c == "" {
		return c
	}
	return c.Base()
}

// Generation returns the one in which the documents of a collection are searched.
func (s *stores) Generation(c document.Collection) (document.Generation, bool) {
	g, ok := s.current[s.Place(c)]
	return g, ok
}

// DeadLetters is what the dead letters of a stage on documents of a collection stand under.
func (s *stores) DeadLetters(stage contract.Stage, c document.Collection) contract.BuildID {
	if g, ok := s.Generation(c); ok && stage != contract.StageChunker {
		return contract.BuildOf(g)
	}
	return s.build
}

// AllDeadLetters are what the dead letters of a stage on any documents stand under.
func (s *stores) AllDeadLetters(stage contract.Stage) (out []contract.BuildID) {
	for _, c := range s.Collections() {
		if id := s.DeadLetters(stage, c); !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// Generations lists what is searched, in order.
func (s *stores) Generations() []document.Generation { return slices.Sorted(maps.Keys(s.sinks)) }

// Collections lists what is searched, in order.
func (s *stores) Collections() []document.Collection { return slices.Sorted(maps.Keys(s.current)) }

// Mark returns what the store behind a sink says of itself.
func (s *stores) Mark(ctx context.Context, g document.Generation, sink document.Sink) (store.Mark, error) {
	if sink == document.Lexical {
		return s.sinks[g].Lexical.Mark(ctx)
	}
	return s.sinks[g].Vector.Mark(ctx)
}

func (s *stores) lexical(collections []document.Collection) map[document.Generation]recall.Lexical {
	out := map[document.Generation]recall.Lexical{}
	for _, c := range collections {
		out[s.current[c]] = s.sinks[s.current[c]].Lexical
	}
	return out
}

func (s *stores) vector(collections []document.Collection) map[document.Generation]recall.Vector {
	out := map[document.Generation]recall.Vector{}
	for _, c := range collections {
		out[s.current[c]] = s.sinks[s.current[c]].Vector
	}
	return out
}
