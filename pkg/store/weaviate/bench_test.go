//go:build servers

package weaviate_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
	"github.com/freshet-dev/freshet/pkg/store/weaviate"
)

const (
	benchChunks = 20_000
	benchDims   = 256 // of the bundled model
	benchBatch  = 300 // as an indexer applies them
	benchK      = 75  // as a query recalls
)

// benchData draws unit vectors around 500 centres, as passages lie by subject;
// ten chunks make a document.
func benchData(n int) (entries []store.VectorEntry, query func() embed.Vector) {
	r := rand.New(rand.NewPCG(21, 22))
	zipf := rand.NewZipf(r, 1.1, 5, 499)
	var centres [500][benchDims]float64
	for i := range centres {
		for j := range centres[i] {
			centres[i][j] = r.NormFloat64()
		}
	}
	vector := func() embed.Vector {
		var values [benchDims]float64
		centre := &centres[zipf.Uint64()]
		norm, top := 0.0, 0.0
		for i := range values {
			values[i] = centre[i] + 0.8*r.NormFloat64()
			norm += values[i] * values[i]
			top = max(top, math.Abs(values[i]))
		}
		v := embed.Vector{Scale: float32(top / 127 / math.Sqrt(norm)), Data: make([]int8, benchDims)}
		for i, x := range values {
			v.Data[i] = int8(math.Round(x / top * 127))
		}
		return v
	}
	for i := range n {
		e := entry(document.Path(fmt.Sprintf("src/dir%d/sub%d/file%d.go", i/1000, i/100, i/10)), i, vector())
		e.Attrs.Kind = []string{document.KindFunction, document.KindMethod, document.KindType}[i%3]
		entries = append(entries, e)
	}
	return entries, vector
}

// BenchmarkBesideFlat puts the same chunks into the embedded store and into
// Weaviate, and asks both the same.
func BenchmarkBesideFlat(b *testing.B) {
	ctx := context.Background()
	entries, query := benchData(benchChunks)
	embedded, err := flat.Open(b.TempDir(), benchDims, flat.Options{})
	must(b, err)
	b.Cleanup(func() { must(b, embedded.Close()) })
	remote := create(b, weaviate.Config{Timeout: time.Minute, URL: servers.WeaviateURL(b), Name: b.TempDir(), Dims: benchDims})
	for _, c := range []struct {
		name  string
		store store.Vector
	}{{"flat", embedded}, {"weaviate", remote}} {
		b.Run(c.name, func(b *testing.B) {
			start := time.Now()
			for batch := range slices.Chunk(entries, benchBatch) {
				_, err := c.store.Apply(ctx, store.VectorBatch{Put: batch})
				must(b, err)
				must(b, c.store.Refresh(ctx))
			}
			rate := float64(len(entries)) / time.Since(start).Seconds()
			b.Run("index", func(b *testing.B) {
				for b.Loop() { // it was done once, above
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(rate, "chunks/s")
			})
			for _, f := range []struct {
				name   string
				filter store.Filter
			}{
				{"search", store.Filter{}},
				{"searchDir", store.Filter{Dirs: []string{"src/dir7"}}},
				{"searchKind", store.Filter{Kinds: []string{document.KindType}, Languages: []string{"go"}}},
			} {
				b.Run(f.name, func(b *testing.B) {
					timed(b, func() error {
						_, err := c.store.Search(ctx, query(), f.filter, benchK)
						return err
					})
				})
			}
			next := 0
			for _, f := range []struct {
				name string
				do   func() error
			}{
				{"mark", func() error { _, err := c.store.Mark(ctx); return err }},
				{"setMark", func() error { next++; return c.store.SetMark(ctx, store.Mark{ID: "one", Position: uint64(next)}) }},
				{"refresh", func() error { return c.store.Refresh(ctx) }},
				{"count", func() error { _, err := c.store.Count(ctx); return err }},
				{"idsOfOneDocument", func() error {
					a := entries[next%len(entries)].Attrs
					next += 10
					for _, err := range c.store.IDs(ctx, store.Scope{Source: a.Source, Doc: a.Doc}) {
						if err != nil {
							return err
						}
					}
					return nil
				}},
				{"allIDs", func() error {
					for _, err := range c.store.IDs(ctx, store.Scope{}) {
						if err != nil {
							return err
						}
					}
					return nil
				}},
				{"editOneChunk", func() error {
					next++
					e := entries[next%len(entries)]
					old := e.ID
					e.ID = document.NewChunkID("s", e.Attrs.Path, "", 0, document.Version(next+2))
					entries[next%len(entries)] = e
					if _, err := c.store.Apply(ctx, store.VectorBatch{Put: []store.VectorEntry{e}, Delete: []document.ChunkID{old}}); err != nil {
						return err
					}
					return c.store.Refresh(ctx)
				}},
			} {
				b.Run(f.name, func(b *testing.B) { timed(b, f.do) })
			}
		})
	}
}

// timed reports the median and the slowest hundredth.
func timed(b *testing.B, do func() error) {
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		must(b, do())
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
