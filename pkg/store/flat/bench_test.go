package flat_test

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
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
)

const (
	// benchChunks is about what Go's own src tree comes to.
	benchChunks = 65_000
	// benchDims is the length of the bundled model's vectors.
	benchDims = 256
)

// cloud draws unit vectors around 500 centres, as passages lie by subject.
type cloud struct {
	r       *rand.Rand
	zipf    *rand.Zipf
	centres [500][benchDims]float64
}

func newCloud() *cloud {
	r := rand.New(rand.NewPCG(21, 22))
	c := &cloud{r: r, zipf: rand.NewZipf(r, 1.1, 5, 499)}
	for i := range c.centres {
		for j := range c.centres[i] {
			c.centres[i][j] = r.NormFloat64()
		}
	}
	return c
}

func (c *cloud) vector() embed.Vector {
	var values [benchDims]float64
	centre := &c.centres[c.zipf.Uint64()]
	norm, top := 0.0, 0.0
	for i := range values {
		values[i] = centre[i] + 0.8*c.r.NormFloat64()
		norm += values[i] * values[i]
		top = max(top, math.Abs(values[i]))
	}
	v := embed.Vector{Scale: float32(top / 127 / math.Sqrt(norm)), Data: make([]int8, benchDims)}
	for i, x := range values {
		v.Data[i] = int8(math.Round(x / top * 127))
	}
	return v
}

// entry makes chunk n; ten make a document.
func (c *cloud) entry(n int) store.VectorEntry {
	path := document.Path(fmt.Sprintf("src/dir%d/sub%d/file%d.go", n/1000, n/100, n/10))
	return store.VectorEntry{
		ID: document.NewChunkID("go", path, "", n%10, 1),
		Attrs: store.Attrs{
			Source: "go", Doc: document.DocOf(path), Path: path, Language: "go",
			Kind: []string{document.KindFunction, document.KindMethod, document.KindType}[n%3], Symbol: fmt.Sprintf("Type%d.Method%d", n/7, n),
		},
		Vector: c.vector(),
	}
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// fill puts n chunks in batches of 300, as an indexer does.
func fill(b *testing.B, s *flat.Store, entries []store.VectorEntry) {
	b.Helper()
	ctx := context.Background()
	for batch := range slices.Chunk(entries, 300) {
		_, err := s.Apply(ctx, store.VectorBatch{Put: batch})
		must(b, err)
		must(b, s.Refresh(ctx))
	}
}

func benchData(n int) (*cloud, []store.VectorEntry) {
	c := newCloud()
	entries := make([]store.VectorEntry, n)
	for i := range entries {
		entries[i] = c.entry(i)
	}
	return c, entries
}

func BenchmarkIndex65000(b *testing.B) {
	_, entries := benchData(benchChunks)
	for b.Loop() {
		s, err := flat.Open(b.TempDir(), benchDims, flat.Options{})
		must(b, err)
		fill(b, s, entries)
		b.StopTimer()
		must(b, s.Drop(context.Background()))
		b.StartTimer()
	}
	b.ReportMetric(float64(benchChunks*b.N)/b.Elapsed().Seconds(), "chunks/s")
}

func BenchmarkAt65000(b *testing.B) {
	ctx := context.Background()
	c, entries := benchData(benchChunks)
	dir := b.TempDir()
	s, err := flat.Open(dir, benchDims, flat.Options{})
	must(b, err)
	fill(b, s, entries)
	search := func(filter store.Filter) func(b *testing.B) {
		return func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				q := c.vector()
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
			s, err = flat.Open(dir, benchDims, flat.Options{})
			must(b, err)
			must(b, s.Close())
		}
		s, err = flat.Open(dir, benchDims, flat.Options{})
		must(b, err)
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/1e6, "heap-MB")
		size := 0.0
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		must(b, err)
		for _, f := range files {
			info, err := os.Stat(f)
			must(b, err)
			size += float64(info.Size())
		}
		b.ReportMetric(size/1e6, "disk-MB")
	})
	b.Run("search", search(store.Filter{}))
	b.Run("searchDir", search(store.Filter{Dirs: []string{"src/dir7"}}))
	b.Run("searchKind", search(store.Filter{Kinds: []string{document.KindType}, Languages: []string{"go"}}))
	next := benchChunks
	b.Run("editOneChunk", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			e, old := c.entry(next), c.entry(next-benchChunks).ID
			next++
			b.StartTimer()
			_, err := s.Apply(ctx, store.VectorBatch{Put: []store.VectorEntry{e}, Delete: []document.ChunkID{old}})
			must(b, err)
			must(b, s.Refresh(ctx))
		}
	})
	b.Run("searchAfterEdits", search(store.Filter{}))
	must(b, s.Close())
}
