//go:build servers

package elastic_test

import (
	"context"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/elastic"
	"github.com/freshet-dev/freshet/pkg/store/postings"
)

// batch is how many passages are written at once.
const batch = 512

// fill writes a corpus as the indexer does, and makes it visible.
func fill(t testing.TB, s store.Lexical, entries []store.LexicalEntry) {
	t.Helper()
	for part := range slices.Chunk(entries, batch) {
		result, err := s.Apply(t.Context(), store.LexicalBatch{Put: part})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range result.Put {
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func embedded(t testing.TB) *postings.Store {
	t.Helper()
	s, err := postings.Open(t.TempDir(), postings.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// remote returns a new store, and the name of its alias.
func remote(t testing.TB) (*elastic.Store, string) {
	t.Helper()
	cfg := config(t, t.TempDir())
	s := openWith(t, cfg)
	if err := s.SetMark(t.Context(), store.Mark{ID: "corpus"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Drop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s, alias(cfg)
}

// overlap is the mean share of a's best ten that b has among its best ten.
func overlap(t testing.TB, a, b store.Lexical, queries [][]store.Term) float64 {
	t.Helper()
	sum := 0.0
	for _, q := range queries {
		left, right := bestTen(t, a, q), bestTen(t, b, q)
		if len(left) != len(right) || len(left) == 0 {
			t.Fatalf("%v: %d and %d hits", q, len(left), len(right))
		}
		both := 0
		for _, id := range left {
			if slices.Contains(right, id) {
				both++
			}
		}
		sum += float64(both) / float64(len(left))
	}
	return sum / float64(len(queries))
}

func bestTen(t testing.TB, s store.Lexical, q []store.Term) []document.ChunkID {
	t.Helper()
	hits, err := s.Search(t.Context(), q, store.Filter{}, 10)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]document.ChunkID, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	return ids
}

func TestElasticsearch_RanksLikeTheEmbeddedStore(t *testing.T) {
	c := read(t, 8000, 300)
	a := embedded(t)
	b, index := remote(t)
	fill(t, a, c.entries)
	fill(t, b, c.entries)
	t.Logf("%d passages of Go's own source, %d questions, one shard", len(c.entries), len(c.queries))
	t.Logf("overlap@10 before the merge: %.4f", overlap(t, a, b, c.queries))
	merge(t, index)
	merged := overlap(t, a, b, c.queries)
	t.Logf("overlap@10 after the merge: %.4f", merged)
	if merged < 0.9 {
		t.Errorf("overlap@10 is %.4f, less than 0.9", merged)
	}
	// A fifth is written anew, as edits do it. The server counts what was
	// deleted until it merges.
	for part := range slices.Chunk(c.entries[:len(c.entries)/5], batch) {
		var change store.LexicalBatch
		for i, e := range part {
			change.Delete = append(change.Delete, e.ID)
			e.ID = document.NewChunkID("go", e.Attrs.Path, document.Hash(e.ID.String()), i, 2)
			change.Put = append(change.Put, e)
		}
		for _, s := range []store.Lexical{a, b} {
			_, err := s.Apply(t.Context(), change)
			check(t, err)
			check(t, s.Refresh(t.Context()))
		}
	}
	t.Logf("overlap@10 after a fifth was edited: %.4f", overlap(t, a, b, c.queries))
}
