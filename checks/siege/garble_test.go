package siege

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Bodies in every stream are made unreadable while the program runs. It answers,
// and a comparison finds these documents and no others.
func TestGarbledBodies_AreFoundAndRepaired(t *testing.T) {
	t.Parallel()
	g := invited(t, 13)
	r := newAssault(g.r)
	if err := g.large(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	left := map[string]bool{contract.StreamFiles: true, contract.StreamChunks: true, contract.StreamVectors: true, contract.StreamIndexed: true}
	for len(left) > 0 && t.Context().Err() == nil {
		if err := r.garble(t.Context()); err != nil {
			t.Fatal(err)
		}
		for what := range r.entry.Blows {
			for _, word := range strings.Fields(what) {
				delete(left, word)
			}
		}
	}
	if len(r.hurt) == 0 {
		t.Error("no document is noted")
	}
	if err := r.repair(t.Context()); err != nil || r.entry.Broken() > 0 {
		t.Errorf("%v: %s", err, r.notes)
	}
}
