package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Lexical runs the conformance suite of store.Lexical. open opens the store
// behind dir; the same dir is the same store.
//
// A server may keep deleted chunks in the statistics until it merges, as
// Lucene does; what waits until it has is given as settle, and called before
// the suite compares scores with the formula after deletions. Without settle
// the statistics have to be exact at any moment.
func Lexical(t *testing.T, open func(t testing.TB, dir string) store.Lexical, settle ...func(t testing.TB, s store.Lexical)) {
	shared := func(t testing.TB, dir string) port {
		s := open(t, dir)
		return port{
			Store: s,
			apply: func(ctx context.Context, put []item, del []document.ChunkID) (store.Result, error) {
				batch := store.LexicalBatch{Delete: del}
				for _, it := range put {
					batch.Put = append(batch.Put, store.LexicalEntry{ID: it.id, Attrs: it.attrs, Tokens: []string{"every", "chunk"}})
				}
				return s.Apply(ctx, batch)
			},
			find: func(ctx context.Context, filter store.Filter, k int) ([]store.Hit, error) {
				return s.Search(ctx, []store.Term{{Token: "chunk", Weight: 1}}, filter, k)
			},
		}
	}
	t.Run("content", func(t *testing.T) { testContent(t, shared) })
	t.Run("search", func(t *testing.T) { testSearch(t, shared) })
	t.Run("life", func(t *testing.T) { testLife(t, shared) })
	t.Run("concurrent", func(t *testing.T) { testConcurrent(t, shared) })
	t.Run("bm25", func(t *testing.T) { testBM25(t, open, settle) })
	t.Run("tokens", func(t *testing.T) { testTokens(t, open) })
}

// startLexical opens a store that is dropped when the test ends.
func startLexical(t *testing.T, open func(t testing.TB, dir string) store.Lexical) store.Lexical {
	var s store.Lexical
	start(t, func(t testing.TB, dir string) port {
		s = open(t, dir)
		return port{Store: s}
	})
	return s
}

// entry makes a chunk with tokens.
func entry(n int, tokens ...string) store.LexicalEntry {
	it := chunk("tokens", "a/b.txt", n)
	return store.LexicalEntry{ID: it.id, Attrs: it.attrs, Tokens: tokens}
}

// putTokens applies entries, expects all of them done, and refreshes.
func putTokens(t *testing.T, s store.Lexical, entries ...store.LexicalEntry) {
	t.Helper()
	result, err := s.Apply(context.Background(), store.LexicalBatch{Put: entries})
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	allDone(t, result, len(entries), 0)
	if err := s.Refresh(context.Background()); err != nil {
		t.Fatalf("refresh: %v", err)
	}
}

// search returns the hits of terms of weight one.
func search(t *testing.T, s store.Lexical, tokens ...string) []store.Hit {
	t.Helper()
	terms := make([]store.Term, len(tokens))
	for i, token := range tokens {
		terms[i] = store.Term{Token: token, Weight: 1}
	}
	hits, err := s.Search(context.Background(), terms, store.Filter{}, 100)
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	return hits
}

// testTokens covers what tokens may be.
func testTokens(t *testing.T, open func(t testing.TB, dir string) store.Lexical) {
	t.Run("noTokens", func(t *testing.T) {
		s := startLexical(t, open)
		putTokens(t, s, entry(0), entry(1, "word"), entry(2))
		if n, err := s.Count(context.Background()); err != nil || n != 3 {
			t.Fatalf("Count is %d, %v", n, err)
		}
		if got := idsOf(search(t, s, "word", "")); !slices.Equal(got, []document.ChunkID{entry(1).ID}) {
			t.Fatalf("found %s", short(got))
		}
		listed := 0
		for _, err := range s.IDs(context.Background(), store.Scope{}) {
			if err != nil {
				t.Fatal(err)
			}
			listed++
		}
		if listed != 3 {
			t.Fatalf("IDs lists %d", listed)
		}
	})
	t.Run("noTermsAndUnknownTerms", func(t *testing.T) {
		s := startLexical(t, open)
		putTokens(t, s, entry(0, "word"))
		for _, tokens := range [][]string{nil, {"wor"}, {"words"}, {"WORD"}, {"a", "b"}} {
			if hits := search(t, s, tokens...); len(hits) != 0 {
				t.Errorf("%q finds %s", tokens, short(idsOf(hits)))
			}
		}
	})
	t.Run("unicode", func(t *testing.T) {
		s := startLexical(t, open)
		tokens := []string{
			"größe", "grosse", "日本", "本語", "naïve", "nai\u0308ve", "😀", "ꙮ", "x\u200dy", "İ", "i̇", "ß", "a-b", "a.b", "#!", `"`, `\n`, "and", "OR", "*",
		}
		for i, token := range tokens {
			putTokens(t, s, entry(i, token))
		}
		for i, token := range tokens {
			if got := idsOf(search(t, s, token)); !slices.Equal(got, []document.ChunkID{entry(i).ID}) {
				t.Errorf("%q finds %s", token, short(got))
			}
		}
	})
	t.Run("beginning", func(t *testing.T) {
		s := startLexical(t, open)
		ctx := context.Background()
		putTokens(t, s, entry(0, "parse", "parser", "parse_address", "par"), entry(1, "parseaddress", "parsé", "zebra"))
		putTokens(t, s, entry(2, "parse", "parsing", "über", "~parse"))
		for _, c := range []struct {
			prefix string
			limit  int
			want   []string
		}{
			{"parse", 10, []string{"parse", "parse_address", "parseaddress", "parser"}},
			{"parse", 2, []string{"parse", "parse_address"}},
			{"parse", 0, nil},
			{"parsin", 1000, []string{"parsing"}},
			{"parsé", 10, []string{"parsé"}},
			{"zz", 10, nil}, {"a", 10, nil}, {"üb", 10, []string{"über"}},
		} {
			if got, err := s.Beginning(ctx, c.prefix, c.limit); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%q begins %q (at most %d), want %q: %v", c.prefix, got, c.limit, c.want, err)
			}
		}
		var many []store.LexicalEntry
		for i := range 400 {
			many = append(many, entry(100+i, fmt.Sprintf("name%03d", i), fmt.Sprintf("other%03d", i)))
		}
		putTokens(t, s, many...)
		got, err := s.Beginning(ctx, "name1", 60)
		if err != nil || len(got) != 60 || got[0] != "name100" || got[59] != "name159" {
			t.Errorf("%d words from %q: %v", len(got), got, err)
		}
	})
	t.Run("longest", func(t *testing.T) {
		s := startLexical(t, open)
		a, b := strings.Repeat("x", 254)+"a", strings.Repeat("x", 254)+"b"
		putTokens(t, s, entry(0, a), entry(1, b), entry(2, "x"))
		if got := idsOf(search(t, s, b)); !slices.Equal(got, []document.ChunkID{entry(1).ID}) {
			t.Fatalf("found %s", short(got))
		}
	})
	t.Run("oneBadEntryLeavesItsNeighbours", func(t *testing.T) {
		s := startLexical(t, open)
		batch := store.LexicalBatch{Put: []store.LexicalEntry{
			entry(0, "word"), entry(1, "word", strings.Repeat("x", 256)), entry(2, "word"),
		}}
		result, err := s.Apply(context.Background(), batch)
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Put) != 3 || result.Put[0] != nil || result.Put[2] != nil || document.KindOf(result.Put[1]) != document.InvalidRequest {
			t.Fatalf("the results are %v", result.Put)
		}
		if err := s.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got, want := sorted(idsOf(search(t, s, "word"))), sorted([]document.ChunkID{entry(0).ID, entry(2).ID}); !slices.Equal(got, want) {
			t.Fatalf("found %s", short(got))
		}
	})
	t.Run("callerUsesItsMemoryAgain", func(t *testing.T) {
		s := startLexical(t, open)
		tokens := []string{"before"}
		result, err := s.Apply(context.Background(), store.LexicalBatch{Put: []store.LexicalEntry{entry(0, tokens...)}})
		if err != nil {
			t.Fatal(err)
		}
		allDone(t, result, 1, 0)
		tokens[0] = "after"
		if err := s.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		if len(search(t, s, "before")) != 1 || len(search(t, s, "after")) != 0 {
			t.Fatal("the store kept the caller's memory")
		}
	})
}
