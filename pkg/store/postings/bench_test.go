package postings_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/postings"
)

// benchChunks is about what Go's own src tree comes to.
const benchChunks = 65_000

// language draws tokens as source code has them: a Zipf law over 400,000
// words, about 150 distinct ones in a chunk of 220 tokens, a third of them drawn
// from a few that the chunk repeats.
type language struct {
	r     *rand.Rand
	zipf  *rand.Zipf
	words []string
}

func newLanguage() *language {
	r := rand.New(rand.NewPCG(11, 12))
	l := &language{r: r, zipf: rand.NewZipf(r, 1.07, 12, 399_999), words: make([]string, 400_000)}
	for i := range l.words {
		n := 2 + int(math.Log2(float64(i+2))/2) + r.IntN(5)
		w := make([]byte, n)
		for j := range w {
			w[j] = "etaoinsrhdlucmfywgpbvkxqjz_0123"[min(r.IntN(31), r.IntN(31))]
		}
		l.words[i] = fmt.Sprintf("%s%x", w, i%97)
	}
	return l
}

func (l *language) word() string { return l.words[l.zipf.Uint64()] }

// chunk makes chunk n; ten make a document.
func (l *language) chunk(n int) store.LexicalEntry {
	path := document.Path(fmt.Sprintf("src/dir%d/sub%d/file%d.go", n/1000, n/100, n/10))
	own := make([]string, 20)
	for i := range own {
		own[i] = l.word()
	}
	tokens := make([]string, 220)
	for i := range tokens {
		if i%3 == 0 {
			tokens[i] = own[l.r.IntN(len(own))]
		} else {
			tokens[i] = l.word()
		}
	}
	return store.LexicalEntry{
		ID: document.NewChunkID("go", path, "", n%10, 1),
		Attrs: store.Attrs{
			Source: "go", Doc: document.DocOf(path), Path: path, Language: "go",
			Kind: []string{document.KindFunction, document.KindMethod, document.KindType}[n%3], Symbol: fmt.Sprintf("Type%d.Method%d", n/7, n),
		},
		Tokens: tokens,
	}
}

// question draws terms as people ask for them: not the most frequent ones.
func (l *language) question(n int) []store.Term {
	out := make([]store.Term, n)
	for i := range out {
		rank := l.zipf.Uint64()
		for rank < 20 {
			rank = l.zipf.Uint64()
		}
		out[i] = store.Term{Token: l.words[rank], Weight: 1}
	}
	return out
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// fill puts n chunks in batches of 300, as an indexer does, and
// returns the time that the store took and the number of distinct tokens.
func (l *language) fill(b *testing.B, s *postings.Store, n int) (took time.Duration, distinct int) {
	b.Helper()
	ctx := context.Background()
	for first := 0; first < n; first += 300 {
		var batch store.LexicalBatch
		for i := first; i < min(first+300, n); i++ {
			c := l.chunk(i)
			batch.Put = append(batch.Put, c)
			sorted := slices.Sorted(slices.Values(c.Tokens))
			distinct += len(slices.Compact(sorted))
		}
		start := time.Now()
		_, err := s.Apply(ctx, batch)
		must(b, err)
		must(b, s.Refresh(ctx))
		took += time.Since(start)
	}
	return took, distinct
}

func BenchmarkIndex65000(b *testing.B) {
	l := newLanguage()
	took := time.Duration(0)
	for b.Loop() {
		s, err := postings.Open(b.TempDir(), postings.Options{})
		must(b, err)
		t, _ := l.fill(b, s, benchChunks)
		took += t
		must(b, s.Drop(context.Background()))
	}
	b.ReportMetric(float64(benchChunks*b.N)/took.Seconds(), "chunks/s")
}

func BenchmarkAt65000(b *testing.B) {
	ctx := context.Background()
	l := newLanguage()
	dir := b.TempDir()
	s, err := postings.Open(dir, postings.Options{})
	must(b, err)
	_, distinct := l.fill(b, s, benchChunks)
	search := func(terms int, filter store.Filter) func(b *testing.B) {
		return func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				q := l.question(terms)
				start := time.Now()
				_, err := s.Search(ctx, q, filter, 75)
				must(b, err)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		}
	}
	b.Run("open", func(b *testing.B) {
		must(b, s.Close())
		for b.Loop() {
			s, err = postings.Open(dir, postings.Options{})
			must(b, err)
			must(b, s.Close())
		}
		s, err = postings.Open(dir, postings.Options{})
		must(b, err)
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/1e6, "heap-MB") // the benchmark's words included
		size := 0.0
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		must(b, err)
		for _, f := range files {
			info, err := os.Stat(f)
			must(b, err)
			size += float64(info.Size())
		}
		b.ReportMetric(size/1e6, "disk-MB")
		b.ReportMetric(float64(len(files)), "files")
		b.ReportMetric(float64(distinct)/benchChunks, "distinct/chunk")
	})
	b.Run("search3", search(3, store.Filter{}))
	b.Run("search8", search(8, store.Filter{}))
	b.Run("search8dir", search(8, store.Filter{Dirs: []string{"src/dir7"}}))
	b.Run("search8kind", search(8, store.Filter{Kinds: []string{document.KindType}, Languages: []string{"go"}}))
	next := benchChunks
	b.Run("editOneChunk", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			c, old := l.chunk(next), l.chunk(next-benchChunks).ID
			next++
			b.StartTimer()
			_, err := s.Apply(ctx, store.LexicalBatch{Put: []store.LexicalEntry{c}, Delete: []document.ChunkID{old}})
			must(b, err)
			must(b, s.Refresh(ctx))
		}
	})
	b.Run("search8afterEdits", search(8, store.Filter{}))
	must(b, s.Close())
}
