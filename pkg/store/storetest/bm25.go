package storetest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// tolerance of a score against the formula, relative. Servers compute in
// float32.
const tolerance = 1e-4

// corpus computes BM25 by definition over everything that it holds.
type corpus map[document.ChunkID][]string

// scores returns the score of every chunk that holds a term, and all that are
// required. Chunks without
// tokens do not count in N and avglen, as in Lucene.
func (c corpus) scores(terms []store.Term) map[document.ChunkID]float64 {
	n, total := 0.0, 0.0
	for _, tokens := range c {
		if len(tokens) > 0 {
			n++
			total += float64(len(tokens))
		}
	}
	out := make(map[document.ChunkID]float64)
	for _, term := range terms {
		with := 0.0
		for _, tokens := range c {
			if slices.Contains(tokens, term.Token) {
				with++
			}
		}
		idf := math.Log(1 + (n-with+0.5)/(with+0.5))
		for id, tokens := range c {
			tf := 0.0
			for _, token := range tokens {
				if token == term.Token {
					tf++
				}
			}
			if tf > 0 {
				norm := 1 - store.B + store.B*float64(len(tokens))/(total/n)
				out[id] += term.Weight * idf * tf * (store.K1 + 1) / (tf + store.K1*norm)
			}
		}
	}
	for id := range out {
		if slices.ContainsFunc(terms, func(t store.Term) bool { return t.Required && !slices.Contains(c[id], t.Token) }) {
			delete(out, id)
		}
	}
	return out
}

// checkCounts compares the statistics with the definition.
func (c corpus) checkCounts(t *testing.T, s store.Lexical, terms []store.Term) {
	t.Helper()
	tokens := make([]string, len(terms))
	want := store.Counts{With: make([]int, len(terms))}
	for i, term := range terms {
		tokens[i] = term.Token
	}
	for _, held := range c {
		if len(held) > 0 {
			want.Chunks++
		}
		for i, token := range tokens {
			if slices.Contains(held, token) {
				want.With[i]++
			}
		}
	}
	got, err := s.Counts(context.Background(), tokens)
	if err != nil {
		t.Fatalf("counts: %v", err)
	}
	if got.Chunks != want.Chunks || !slices.Equal(got.With, want.With) {
		t.Errorf("%v: counts %+v, want %+v", tokens, got, want)
	}
}

// check compares a search with the definition and returns the factor between
// the scores, which is to be the same everywhere.
func (c corpus) check(t *testing.T, s store.Lexical, terms []store.Term, k int, factor float64) float64 {
	t.Helper()
	hits, err := s.Search(context.Background(), terms, store.Filter{}, k)
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	c.checkCounts(t, s, terms)
	scores := c.scores(terms)
	best := make([]float64, 0, len(scores))
	for _, v := range scores {
		best = append(best, v)
	}
	slices.SortFunc(best, func(a, b float64) int { return cmp.Compare(b, a) })
	if len(hits) != min(k, len(best)) {
		t.Fatalf("%v: %d hits, want %d", terms, len(hits), min(k, len(best)))
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b)) }
	for i, h := range hits {
		want, ok := scores[h.ID]
		if !ok {
			t.Fatalf("%v: hit %d holds no term", terms, i)
		}
		if factor == 0 {
			factor = h.Score / want
		}
		if !near(h.Score, factor*want) {
			t.Fatalf("%v: hit %d has the score %g, want %g", terms, i, h.Score, factor*want)
		}
		if !near(want, best[i]) {
			t.Fatalf("%v: hit %d should have the score %g and has %g", terms, i, best[i], want)
		}
	}
	return factor
}

// words makes n entries of 1 to 39 tokens (Lucene keeps lengths exactly up to
// there) from a skewed vocabulary.
func words(r *rand.Rand, first, n int) []store.LexicalEntry {
	zipf := rand.NewZipf(r, 1.1, 2, 400)
	out := make([]store.LexicalEntry, n)
	for i := range out {
		tokens := make([]string, 1+r.IntN(39))
		for j := range tokens {
			tokens[j] = fmt.Sprintf("w%d", zipf.Uint64())
		}
		out[i] = entry(first+i, tokens...)
	}
	return out
}

// question makes a query of up to eight terms with weights; some are required.
func question(r *rand.Rand) []store.Term {
	zipf := rand.NewZipf(r, 1.1, 4, 420)
	out := make([]store.Term, 1+r.IntN(8))
	for i := range out {
		out[i] = store.Term{Token: fmt.Sprintf("w%d", zipf.Uint64()), Weight: []float64{1, 1, 0.25, 2}[r.IntN(4)], Required: r.IntN(8) == 0}
	}
	return out
}

// testBM25 compares scores with the formula.
func testBM25(t *testing.T, open func(t testing.TB, dir string) store.Lexical, settle []func(t testing.TB, s store.Lexical)) {
	ctx := context.Background()
	t.Run("formula", func(t *testing.T) {
		s := startLexical(t, open)
		r := rand.New(rand.NewPCG(1, 2))
		c := make(corpus)
		next, factor := 0, 0.0
		for _, size := range []int{400, 1, 1, 90, 17, 1, 250} { // several segments
			entries := words(r, next, size)
			next += size
			putTokens(t, s, entries...)
			for _, e := range entries {
				c[e.ID] = e.Tokens
			}
			for range 12 {
				factor = c.check(t, s, question(r), []int{1, 10, 1000}[r.IntN(3)], factor)
			}
		}
	})
	t.Run("deletionsLeaveTheStatistics", func(t *testing.T) {
		s := startLexical(t, open)
		r := rand.New(rand.NewPCG(3, 4))
		c := make(corpus)
		entries := words(r, 0, 600)
		for i := 0; i < len(entries); i += 100 {
			putTokens(t, s, entries[i:i+100]...)
		}
		for _, e := range entries {
			c[e.ID] = e.Tokens
		}
		factor := 0.0
		for len(entries) > 20 {
			if settle == nil {
				factor = c.check(t, s, question(r), 1000, factor)
			}
			var del []document.ChunkID
			for range len(entries) / 4 {
				i := r.IntN(len(entries))
				del = append(del, entries[i].ID)
				delete(c, entries[i].ID)
				entries = slices.Delete(entries, i, i+1)
			}
			result, err := s.Apply(ctx, store.LexicalBatch{Delete: del})
			if err != nil {
				t.Fatal(err)
			}
			allDone(t, result, 0, len(del))
			if err := s.Refresh(ctx); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range settle {
			f(t, s)
		}
		// The same passages in a new store score alike.
		fresh := startLexical(t, open)
		putTokens(t, fresh, entries...)
		for range 10 {
			q := question(r)
			factor = c.check(t, fresh, q, 1000, factor)
			c.check(t, s, q, 1000, factor)
		}
	})
	t.Run("repeatedTokensCount", func(t *testing.T) {
		s := startLexical(t, open)
		c := corpus{}
		for _, e := range []store.LexicalEntry{
			entry(0, "a", "b", "b", "b"), entry(1, "a", "a", "a", "b"), entry(2, "a", "b", "c", "d"), entry(3, "e", "e", "e", "e"),
		} {
			putTokens(t, s, e)
			c[e.ID] = e.Tokens
		}
		c.check(t, s, []store.Term{{Token: "a", Weight: 1}}, 10, 0)
		if hits := search(t, s, "a"); hits[0].ID != entry(1).ID {
			t.Fatalf("the chunk with the token three times is not first: %s", short(idsOf(hits)))
		}
		if hits := search(t, s, "b"); hits[0].ID != entry(0).ID {
			t.Fatalf("the chunk with the token three times is not first: %s", short(idsOf(hits)))
		}
	})
	t.Run("repeatedTermsAddUp", func(t *testing.T) {
		s := startLexical(t, open)
		r := rand.New(rand.NewPCG(5, 6))
		c := make(corpus)
		entries := words(r, 0, 50)
		putTokens(t, s, entries...)
		for _, e := range entries {
			c[e.ID] = e.Tokens
		}
		factor := c.check(t, s, []store.Term{{Token: "w1", Weight: 1}, {Token: "w3", Weight: 1}}, 50, 0)
		c.check(t, s, []store.Term{{Token: "w1", Weight: 1}, {Token: "w3", Weight: 1}, {Token: "w1", Weight: 0.5}}, 50, factor)
	})
	t.Run("requiredTermsAreHeld", func(t *testing.T) {
		s := startLexical(t, open)
		r := rand.New(rand.NewPCG(9, 10))
		c := make(corpus)
		for i := range 5 {
			entries := words(r, 100*i, 100)
			putTokens(t, s, entries...)
			for _, e := range entries {
				c[e.ID] = e.Tokens
			}
		}
		factor := c.check(t, s, []store.Term{{Token: "w1", Weight: 1}}, 500, 0)
		for _, e := range c {
			terms := []store.Term{{Token: "w2", Weight: 1}}
			for _, token := range e[:min(len(e), 6)] {
				terms = append(terms, store.Term{Token: token, Weight: 1, Required: true})
			}
			c.check(t, s, terms, 500, factor)
		}
		c.check(t, s, []store.Term{{Token: "w1", Weight: 1}, {Token: "nowhere", Weight: 1, Required: true}}, 500, factor)
		c.check(t, s, []store.Term{{Token: "w1", Weight: 1}, {Token: "w1", Weight: 1, Required: true}, {Token: "w2", Weight: 1}}, 500, factor)
	})
	t.Run("emptyChunksDoNotCount", func(t *testing.T) {
		s := startLexical(t, open)
		c := make(corpus)
		entries := words(rand.New(rand.NewPCG(7, 8)), 0, 30)
		for i := range 100 {
			entries = append(entries, entry(1000+i))
		}
		putTokens(t, s, entries...)
		for _, e := range entries {
			c[e.ID] = e.Tokens
		}
		factor := c.check(t, s, []store.Term{{Token: "w1", Weight: 1}}, 50, 0)
		if factor < 0.3 || factor > 3 { // K1 + 1 = 2.5 is left out by some
			t.Fatalf("the scores are %g times those of the formula", factor)
		}
		c.check(t, s, []store.Term{{Token: "w1", Weight: 1}, {Token: "w40", Weight: 1}}, 50, factor)
	})
}
