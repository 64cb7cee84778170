package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/near"
	"github.com/freshet-dev/freshet/services/query/internal/queryvector"
)

// models are the embedders of the collections that an engine searches.
type models struct {
	of map[document.Collection]*queryvector.Source
	// sources are those of it, each once, in the order of the collections.
	sources []*queryvector.Source
}

// nearness is what a question is near to: its vector in each collection. Those of which
// there is none are missing.
type nearness struct {
	by map[document.Collection]near.Query
	// down are the embedders that gave none, nil where all did.
	down error
}

// silent reports whether no embedder knows a word of the question.
func (n *nearness) silent() bool { return len(n.by) == 0 && n.down == nil }

// near asks for the vectors of a text, once of each embedder that the collections have.
// Cosines of several models come on the scale of the first.
func (s *engine) near(ctx context.Context, text string, collections []document.Collection) nearness {
	type answer struct {
		vector queryvector.Answer
		err    error
	}
	var asked []*queryvector.Source
	for _, source := range s.models.sources {
		if slices.ContainsFunc(collections, func(c document.Collection) bool { return s.models.of[c] == source }) {
			asked = append(asked, source)
		}
	}
	answers := make([]answer, len(asked))
	var all sync.WaitGroup
	for i, source := range asked {
		all.Go(func() { answers[i].vector, answers[i].err = source.Vector(ctx, text, len(asked) > 1) })
	}
	all.Wait()
	out := nearness{by: map[document.Collection]near.Query{}}
	first := slices.IndexFunc(answers, func(a answer) bool { return a.err == nil && !a.vector.IsZero() })
	var down []error
	for i, source := range asked {
		var names []string
		for _, c := range collections {
			if s.models.of[c] != source {
				continue
			}
			names = append(names, string(c))
			if a := &answers[i]; a.err == nil && !a.vector.IsZero() {
				out.by[c] = near.Query{Vector: a.vector.Vector, Scale: near.Onto(a.vector.Background, answers[first].vector.Background)}
			}
		}
		switch err := answers[i].err; {
		case err != nil && len(asked) > 1:
			down = append(down, fmt.Errorf("%s: %w", strings.Join(names, " and "), err))
		case err != nil:
			down = append(down, err)
		}
	}
	if len(down) == 1 {
		out.down = down[0]
	} else {
		out.down = errors.Join(down...)
	}
	return out
}

// named are the identities of the embedders, in one line.
func (m *models) named() string {
	var out []string
	for _, source := range m.sources {
		out = append(out, source.Identity())
	}
	return strings.Join(out, " and ")
}
