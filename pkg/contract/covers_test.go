package contract_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Coverage beside a map that is told the same.
func TestCoverage_IsWhatWasSaid(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	views := []document.View{"main", "worktree", "a", "feature/x", "z"}
	for range 2000 {
		var covers contract.Covers
		want := map[document.View]contract.Cover{}
		for range random.IntN(8) {
			view := views[random.IntN(len(views))]
			cover := contract.Cover{Version: document.Version(random.IntN(9)), Hash: []document.Hash{"", "h"}[random.IntN(2)]}
			before := covers.String()
			next := covers.With(view, cover)
			if covers.String() != before {
				t.Fatalf("%q became %q", before, covers)
			}
			covers, want[view] = next, cover
		}
		if got := maps.Collect(covers.All()); !maps.Equal(got, want) || covers.Len() != len(want) ||
			!slices.Equal(covers.Views(), slices.Sorted(maps.Keys(want))) {
			t.Fatalf("%v, want %v", got, want)
		}
		for _, view := range views {
			cover, ok := covers.Find(view)
			if w, had := want[view]; ok != had || cover != w || covers.At(view) != w {
				t.Fatalf("%s is %v (%v) in %v", view, cover, ok, want)
			}
		}
		again, err := contract.ParseCovers(covers.String())
		if err != nil || !again.Equal(covers) || !covers.Includes(again) {
			t.Fatalf("%q reads back as %q, %v", covers, again, err)
		}
		if more := covers.With("more", contract.Cover{Version: 1}); more.Equal(covers) || covers.Includes(more) || !more.Includes(covers) {
			t.Fatalf("%q and %q", covers, more)
		}
	}
}

func TestViewThatIsNamedTwice_IsCoveredAsNamedLast(t *testing.T) {
	got, err := contract.ParseCovers("main=5:aa;dev=7:;main=6:bb;a=1:")
	want := contract.Covering("main", contract.Cover{Version: 6, Hash: "bb"}).With("dev", contract.Cover{Version: 7}).With("a", contract.Cover{Version: 1})
	if err != nil || !got.Equal(want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
