package verify

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

// at is a store of which only its place is asked.
type at struct {
	Store
	generation document.Generation
	sink       document.Sink
}

func (s at) Place() (document.Generation, document.Sink) { return s.generation, s.sink }

// The workers of a generation begin one after the other: a comparison that runs at
// that moment finds one store of it.
func TestOneStoreIsWorkedOnYet_ItsGenerationIsNotCompared(t *testing.T) {
	d := Deps{Collections: func(document.Generation) []document.Collection { return nil }, Stores: func() []Store {
		return []Store{
			at{generation: "docs-b", sink: document.Vector}, at{generation: "code-a", sink: document.Lexical},
			at{generation: "docs-b", sink: document.Lexical}, at{generation: "code-b", sink: document.Vector},
		}
	}}
	got := d.generations()
	if len(got) != 1 || got[0].name != "docs-b" || len(got[0].stores) != 2 {
		t.Errorf("%d generations are compared, the first is %+v, want docs-b with two stores", len(got), got[0])
	}
}
