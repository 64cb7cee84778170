package postings_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// A store that came about in thousands of small steps with deletions answers
// to the last bit like one that was filled at once.
func TestScores_DoNotDependOnHowTheIndexIsCut(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(8, 9))
	zipf := rand.NewZipf(r, 1.2, 3, 500)
	const n = 6000
	entries := make([]store.LexicalEntry, n)
	for i := range entries {
		path := document.Path(fmt.Sprintf("d%d/f%d.go", i%13, i/9))
		tokens := make([]string, r.IntN(120))
		for j := range tokens {
			tokens[j] = fmt.Sprint(zipf.Uint64())
		}
		entries[i] = store.LexicalEntry{
			ID:     document.NewChunkID("s", path, "", i, 1),
			Attrs:  store.Attrs{Source: "s", Doc: document.DocOf(path), Path: path, Kind: fmt.Sprint(i % 3)},
			Tokens: tokens,
		}
	}
	apply := func(s store.Lexical, put []store.LexicalEntry, del []document.ChunkID) {
		t.Helper()
		if _, err := s.Apply(ctx, store.LexicalBatch{Put: put, Delete: del}); err != nil {
			t.Fatal(err)
		}
		if err := s.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
	}
	steps, once := open(t, t.TempDir()), open(t, t.TempDir())
	var kept []store.LexicalEntry
	for i := 0; i < n; {
		size := min(1+r.IntN(1+r.IntN(20)), n-i)
		var del []document.ChunkID
		if i > 0 && r.IntN(2) == 0 && len(kept) > 0 {
			at := r.IntN(len(kept))
			del = []document.ChunkID{kept[at].ID}
			kept = slices.Delete(kept, at, at+1)
		}
		apply(steps, entries[i:i+size], del)
		kept = append(kept, entries[i:i+size]...)
		i += size
	}
	apply(once, kept, nil)
	for range 200 {
		terms := make([]store.Term, 1+r.IntN(8))
		for i := range terms {
			terms[i] = store.Term{Token: fmt.Sprint(zipf.Uint64()), Weight: 1 + float64(r.IntN(3))}
		}
		filter := store.Filter{}
		if r.IntN(2) == 0 {
			filter.Dirs = []string{"d3", "d7"}
		}
		a, err := steps.Search(ctx, terms, filter, 40)
		if err != nil {
			t.Fatal(err)
		}
		b, err := once.Search(ctx, terms, filter, 40)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a, b) {
			t.Fatalf("%v %v: %d hits and %d hits differ", terms, filter, len(a), len(b))
		}
	}
}

func TestWeightsThatAreNoNumbers_AreRefused(t *testing.T) {
	s := open(t, t.TempDir())
	for _, w := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := s.Search(context.Background(), []store.Term{{Token: "a", Weight: w}}, store.Filter{}, 1)
		if document.KindOf(err) != document.InvalidRequest {
			t.Errorf("weight %g gives %v", w, err)
		}
	}
}
