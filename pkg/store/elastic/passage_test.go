//go:build servers

package elastic_test

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// TestATokenTheServerWouldCut_IsRefused compares what is refused with what the server's
// analyzer does.
func TestATokenTheServerWouldCut_IsRefused(t *testing.T) {
	s, _ := created(t)
	var runes []rune
	for r := rune(1); r <= 0xffff; r++ {
		if r < 0x100 || unicode.IsSpace(r) || unicode.In(r, unicode.Z, unicode.Cf) {
			runes = append(runes, r)
		}
	}
	var texts []string
	var batch store.LexicalBatch
	for i, r := range runes {
		token := "a" + string(r) + "b"
		texts = append(texts, token)
		e := passage(1000 + i)
		e.Tokens = []string{token}
		batch.Put = append(batch.Put, e)
	}
	result, err := s.Apply(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		body, err := json.Marshal(map[string]any{"analyzer": "whitespace", "text": text})
		if err != nil {
			t.Fatal(err)
		}
		tokens := must(t, http.MethodGet, "/_analyze", string(body))["tokens"].([]any)
		if cut := len(tokens) != 1; cut != (result.Put[i] != nil) {
			t.Errorf("%U: the server makes %d tokens of it, and the result is %v", runes[i], len(tokens), result.Put[i])
		}
	}
}

func TestOneImmensePassage_LeavesItsNeighboursAlone(t *testing.T) {
	s, _ := created(t)
	batch := store.LexicalBatch{Put: []store.LexicalEntry{passage(1), passage(2), passage(3)}, Delete: []document.ChunkID{passage(0).ID}}
	batch.Put[1].Attrs.Kind = strings.Repeat("x", 40_000)
	batch.Put[2].Attrs.Symbol = strings.Repeat("Ω", 40_000)
	result, err := s.Apply(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	if result.Put[0] != nil || result.Put[2] != nil || result.Delete[0] != nil {
		t.Errorf("the neighbours' results are %v", result)
	}
	says(t, result.Put[1], document.InvalidRequest, "refuses a chunk", "kind")
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Count(t.Context()); err != nil || n != 2 {
		t.Errorf("%d chunks, %v", n, err)
	}
}

// TestAnIndexOfThreeShards_ScoresLikeOneOfOne compares an index of three shards with one of
// one shard.
func TestAnIndexOfThreeShards_ScoresLikeOneOfOne(t *testing.T) {
	c := read(t, 1000, 50)
	one, _ := remote(t)
	cfg := config(t, t.TempDir())
	cfg.Shards, cfg.Replicas = 3, 1 // there is no node for the replicas
	three := openWith(t, cfg)
	check(t, three.SetMark(t.Context(), store.Mark{ID: "three"}))
	t.Cleanup(func() { must(t, http.MethodDelete, "/"+alias(cfg)+"-000001", "") })
	for _, s := range []store.Lexical{one, three} {
		fill(t, s, c.entries)
	}
	for _, q := range c.queries {
		want, err := one.Search(t.Context(), q, store.Filter{}, 75)
		check(t, err)
		got, err := three.Search(t.Context(), q, store.Filter{}, 75)
		check(t, err)
		if !slices.EqualFunc(want, got, func(a, b store.Hit) bool { return math.Abs(a.Score-b.Score) < 1e-4*a.Score }) {
			t.Fatalf("%v: the scores differ", q)
		}
		var tokens []string
		for _, term := range q {
			tokens = append(tokens, term.Token)
		}
		a, err := one.Counts(t.Context(), tokens)
		check(t, err)
		b, err := three.Counts(t.Context(), tokens)
		check(t, err)
		if a.Chunks != b.Chunks || !slices.Equal(a.With, b.With) {
			t.Fatalf("%v: the counts are %+v and %+v", tokens, a, b)
		}
	}
	if n, err := three.Count(t.Context()); err != nil || n != len(c.entries) {
		t.Errorf("%d chunks, %v, want %d", n, err, len(c.entries))
	}
	seen := map[document.ChunkID]bool{}
	for ref, err := range three.IDs(t.Context(), store.Scope{}) {
		check(t, err)
		seen[ref.ID] = true
	}
	if len(seen) != len(c.entries) {
		t.Errorf("%d chunks are listed, want %d", len(seen), len(c.entries))
	}
	marked(t, three, store.Mark{ID: "three"})
}

func TestCountsOfAnEmptyStore_AreZero(t *testing.T) {
	s, _ := remote(t)
	for range 2 {
		counts, err := s.Counts(t.Context(), []string{"word", "", "two words", "word"})
		if err != nil || counts.Chunks != 0 || !slices.Equal(counts.With, []int{0, 0, 0, 0}) {
			t.Fatalf("the counts are %+v, %v", counts, err)
		}
		check(t, s.SetMark(t.Context(), store.Mark{ID: "corpus", Position: 1}))
		check(t, s.Refresh(t.Context()))
	}
	fill(t, s, []store.LexicalEntry{passage(0), passage(1)})
	counts, err := s.Counts(t.Context(), []string{"word", "w1", "", "word", "none"})
	if err != nil || counts.Chunks != 2 || !slices.Equal(counts.With, []int{2, 1, 0, 2, 0}) {
		t.Fatalf("the counts are %+v, %v", counts, err)
	}
}

func TestAPastedPage_IsSearchedFor(t *testing.T) {
	s, _ := created(t)
	terms := []store.Term{{Token: "word", Weight: 1}}
	for i := range 4000 { // a query has at most 16 KiB
		terms = append(terms, store.Term{Token: string(rune(0x4e00 + i)), Weight: 0.5})
	}
	hits, err := s.Search(t.Context(), terms, store.Filter{}, 10)
	if err != nil || len(hits) != 1 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
}
