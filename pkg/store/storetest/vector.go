package storetest

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Dims is the length of the suite's vectors; open opens stores of that many
// dimensions. It is no multiple of a processor's vector size.
const Dims = 75

// Vector runs the conformance suite of store.Vector. open opens the store of
// Dims dimensions behind dir; the same dir is the same store.
func Vector(t *testing.T, open func(t testing.TB, dir string) store.Vector) {
	same := unit(rand.New(rand.NewPCG(1, 1)))
	shared := func(t testing.TB, dir string) port {
		s := open(t, dir)
		return port{
			Store: s,
			apply: func(ctx context.Context, put []item, del []document.ChunkID) (store.Result, error) {
				batch := store.VectorBatch{Delete: del}
				for _, it := range put {
					batch.Put = append(batch.Put, store.VectorEntry{ID: it.id, Attrs: it.attrs, Vector: same})
				}
				return s.Apply(ctx, batch)
			},
			find: func(ctx context.Context, filter store.Filter, k int) ([]store.Hit, error) {
				return s.Search(ctx, same, filter, k)
			},
		}
	}
	t.Run("content", func(t *testing.T) { testContent(t, shared) })
	t.Run("search", func(t *testing.T) { testSearch(t, shared) })
	t.Run("life", func(t *testing.T) { testLife(t, shared) })
	t.Run("concurrent", func(t *testing.T) { testConcurrent(t, shared) })
	t.Run("vectors", func(t *testing.T) { testVectors(t, open) })
}

// unit makes a random unit vector.
func unit(r *rand.Rand) embed.Vector {
	values := make([]float64, Dims)
	norm, top := 0.0, 0.0
	for i := range values {
		values[i] = r.NormFloat64()
		norm += values[i] * values[i]
		top = max(top, math.Abs(values[i]))
	}
	v := embed.Vector{Scale: float32(top / 127 / math.Sqrt(norm)), Data: make([]int8, Dims)}
	for i, x := range values {
		v.Data[i] = int8(math.Round(x / top * 127))
	}
	return v
}

// dot is the score by definition.
func dot(a, b embed.Vector) float64 {
	sum := 0.0
	for i := range a.Data {
		sum += float64(a.Data[i]) * float64(a.Scale) * float64(b.Data[i]) * float64(b.Scale)
	}
	return sum
}

func vectorEntry(n int, v embed.Vector) store.VectorEntry {
	it := chunk("vectors", "a/b.txt", n)
	return store.VectorEntry{ID: it.id, Attrs: it.attrs, Vector: v}
}

// checkVectors compares a search with the definition.
func checkVectors(t *testing.T, s store.Vector, held []store.VectorEntry, query embed.Vector, k int) {
	t.Helper()
	hits, err := s.Search(context.Background(), query, store.Filter{}, k)
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	scores := make(map[document.ChunkID]float64)
	var best []float64
	for _, e := range held {
		scores[e.ID] = dot(query, e.Vector)
		best = append(best, scores[e.ID])
	}
	slices.SortFunc(best, func(a, b float64) int { return cmp.Compare(b, a) })
	if len(hits) != min(k, len(best)) {
		t.Fatalf("%d hits, want %d", len(hits), min(k, len(best)))
	}
	for i, h := range hits {
		want, ok := scores[h.ID]
		if !ok || math.Abs(h.Score-want) > tolerance || math.Abs(want-best[i]) > tolerance {
			t.Fatalf("hit %d has the score %g; its vector has %g (held: %v), and the best there has %g", i, h.Score, want, ok, best[i])
		}
	}
}

// testVectors compares scores with the definition.
func testVectors(t *testing.T, open func(t testing.TB, dir string) store.Vector) {
	ctx := context.Background()
	begin := func(t *testing.T) store.Vector {
		var s store.Vector
		start(t, func(t testing.TB, dir string) port {
			s = open(t, dir)
			return port{Store: s}
		})
		return s
	}
	apply := func(t *testing.T, s store.Vector, batch store.VectorBatch) {
		t.Helper()
		result, err := s.Apply(ctx, batch)
		if err != nil {
			t.Fatalf("apply: %v", err)
		}
		allDone(t, result, len(batch.Put), len(batch.Delete))
		if err := s.Refresh(ctx); err != nil {
			t.Fatalf("refresh: %v", err)
		}
	}
	t.Run("dotProduct", func(t *testing.T) {
		s := begin(t)
		r := rand.New(rand.NewPCG(2, 3))
		var held []store.VectorEntry
		next := 0
		for _, size := range []int{300, 1, 2, 70, 1} {
			var batch store.VectorBatch
			for range size {
				batch.Put = append(batch.Put, vectorEntry(next, unit(r)))
				next++
			}
			held = append(held, batch.Put...)
			if len(held) > 350 {
				for range 60 {
					i := r.IntN(len(held) - size)
					batch.Delete = append(batch.Delete, held[i].ID)
					held = slices.Delete(held, i, i+1)
				}
			}
			apply(t, s, batch)
			for range 10 {
				checkVectors(t, s, held, unit(r), []int{1, 10, 500}[r.IntN(3)])
			}
		}
	})
	t.Run("extremeValues", func(t *testing.T) {
		s := begin(t)
		var held []store.VectorEntry
		for i, fill := range [][]int8{{-128}, {127}, {-128, 127}, {0, 0, -128}, {1}, {0, -1}} {
			v := embed.Vector{Scale: 0.001, Data: make([]int8, Dims)}
			for j := range v.Data {
				v.Data[j] = fill[j%len(fill)]
			}
			held = append(held, vectorEntry(i, v))
		}
		apply(t, s, store.VectorBatch{Put: held})
		for _, e := range held {
			checkVectors(t, s, held, e.Vector, len(held))
		}
	})
	t.Run("zeroQueryFindsNothing", func(t *testing.T) {
		s := begin(t)
		apply(t, s, store.VectorBatch{Put: []store.VectorEntry{vectorEntry(0, unit(rand.New(rand.NewPCG(4, 4))))}})
		if hits, err := s.Search(ctx, embed.Vector{}, store.Filter{}, 5); err != nil || len(hits) != 0 {
			t.Fatalf("%d hits, %v", len(hits), err)
		}
	})
	t.Run("oneBadEntryLeavesItsNeighbours", func(t *testing.T) {
		s := begin(t)
		r := rand.New(rand.NewPCG(5, 5))
		good := []store.VectorEntry{vectorEntry(0, unit(r)), vectorEntry(3, unit(r))}
		short := unit(r)
		short.Data = short.Data[:Dims-1]
		result, err := s.Apply(ctx, store.VectorBatch{Put: []store.VectorEntry{
			good[0], vectorEntry(1, short), vectorEntry(2, embed.Vector{}), good[1],
		}})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Put) != 4 || result.Put[0] != nil || result.Put[3] != nil ||
			document.KindOf(result.Put[1]) != document.InvalidRequest || document.KindOf(result.Put[2]) != document.InvalidRequest {
			t.Fatalf("the results are %v", result.Put)
		}
		if err := s.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		checkVectors(t, s, good, unit(r), 10)
		if _, err := s.Search(ctx, short, store.Filter{}, 5); document.KindOf(err) != document.InvalidRequest {
			t.Fatalf("a query of another length gives %v", err)
		}
	})
	t.Run("callerUsesItsMemoryAgain", func(t *testing.T) {
		s := begin(t)
		r := rand.New(rand.NewPCG(6, 6))
		e := vectorEntry(0, unit(r))
		want := e
		want.Vector.Data = slices.Clone(e.Vector.Data)
		result, err := s.Apply(ctx, store.VectorBatch{Put: []store.VectorEntry{e}})
		if err != nil {
			t.Fatal(err)
		}
		allDone(t, result, 1, 0)
		clear(e.Vector.Data)
		if err := s.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		checkVectors(t, s, []store.VectorEntry{want}, want.Vector, 1)
	})
}
