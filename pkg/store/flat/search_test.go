package flat_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
)

// A store of this size is searched by several goroutines; few distinct values
// make many ties, which have to come out by id all the same.
func TestSearchInParallel_EqualsTheDefinition(t *testing.T) {
	const n, dims = 60_000, 5
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	s := open(t, t.TempDir(), dims)
	vector := func() embed.Vector {
		v := embed.Vector{Scale: []float32{0.25, 0.5}[r.IntN(2)], Data: make([]int8, dims)}
		for i := range v.Data {
			v.Data[i] = int8(r.IntN(9) - 4)
		}
		return v
	}
	held := make([]store.VectorEntry, n)
	for i := range held {
		path := document.Path(fmt.Sprintf("d%d/f%d", i%7, i/50))
		held[i] = store.VectorEntry{
			ID:     document.NewChunkID("s", path, "", i, 1),
			Attrs:  store.Attrs{Source: "s", Doc: document.DocOf(path), Path: path},
			Vector: vector(),
		}
	}
	apply := func(batch store.VectorBatch) {
		t.Helper()
		if _, err := s.Apply(ctx, batch); err != nil {
			t.Fatal(err)
		}
		if err := s.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for batch := range slices.Chunk(held, 9000) {
		apply(store.VectorBatch{Put: batch})
	}
	var del []document.ChunkID
	held = slices.DeleteFunc(held, func(e store.VectorEntry) bool {
		gone := r.IntN(30) == 0
		if gone {
			del = append(del, e.ID)
		}
		return gone
	})
	apply(store.VectorBatch{Delete: del})
	for i, filter := range []store.Filter{{}, {Dirs: []string{"d3", "d5"}}, {Dirs: []string{"none"}}} {
		for _, k := range []int{1, 75, 5000} {
			query := vector()
			var want []store.Hit
			for _, e := range held {
				if i > 0 && !slices.ContainsFunc(filter.Dirs, func(d string) bool { return strings.HasPrefix(string(e.Attrs.Path), d+"/") }) {
					continue
				}
				dot := 0.0
				for j, q := range query.Data {
					dot += float64(q) * float64(e.Vector.Data[j])
				}
				want = append(want, store.Hit{ID: e.ID, Score: dot * float64(query.Scale) * float64(e.Vector.Scale), Attrs: e.Attrs})
			}
			slices.SortFunc(want, func(a, b store.Hit) int { return a.Compare(&b) })
			want = want[:min(k, len(want))]
			got, err := s.Search(ctx, query, filter, k)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("filter %v, k = %d: %d hits differ from the %d of the definition", filter, k, len(got), len(want))
			}
		}
	}
}

func TestDimensionsThatCannotBe_AreRefused(t *testing.T) {
	for _, dims := range []int{-1, 0, 1 << 20} {
		if _, err := flat.Open(t.TempDir(), dims, flat.Options{}); document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%d dimensions give %v", dims, err)
		}
	}
}
