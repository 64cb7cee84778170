//go:build servers

package elastic_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/store"
)

// benchPassages is about what a medium repository has.
const benchPassages = 20_000

// both runs a benchmark on the embedded store and on Elasticsearch, filled
// with the same passages and merged, so that one run compares them.
func both(b *testing.B, run func(b *testing.B, s store.Lexical, c corpus)) {
	c := read(b, benchPassages, 500)
	b.Run("postings", func(b *testing.B) {
		s := embedded(b)
		fill(b, s, c.entries)
		run(b, s, c)
	})
	b.Run("elastic", func(b *testing.B) {
		s, index := remote(b)
		fill(b, s, c.entries)
		merge(b, index)
		run(b, s, c)
	})
}

// percentiles measures each call and reports the middle and the slowest
// hundredth, after warm calls that are not measured.
func percentiles(b *testing.B, warm int, call func(i int) error) {
	for i := range warm {
		if err := call(i); err != nil {
			b.Fatal(err)
		}
	}
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if err := call(i); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

func BenchmarkApply(b *testing.B) {
	c := read(b, benchPassages, 1)
	// Each round fills a new store: what is there already is done at once.
	measure := func(b *testing.B, open func(b *testing.B) store.Lexical) {
		for b.Loop() {
			b.StopTimer()
			s := open(b)
			b.StartTimer()
			fill(b, s, c.entries)
		}
		b.ReportMetric(float64(len(c.entries)*b.N)/b.Elapsed().Seconds(), "passages/s")
		b.ReportMetric(float64(c.bytes)/float64(len(c.entries)), "bytes/passage")
	}
	b.Run("postings", func(b *testing.B) { measure(b, func(b *testing.B) store.Lexical { return embedded(b) }) })
	b.Run("elastic", func(b *testing.B) {
		measure(b, func(b *testing.B) store.Lexical {
			s, _ := remote(b)
			return s
		})
	})
}

func BenchmarkSearch(b *testing.B) {
	for _, k := range []int{10, 75, 1000} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			both(b, func(b *testing.B, s store.Lexical, c corpus) {
				percentiles(b, 1000, func(i int) error {
					_, err := s.Search(b.Context(), c.queries[i%len(c.queries)], store.Filter{}, k)
					return err
				})
			})
		})
	}
}

func BenchmarkCounts(b *testing.B) {
	both(b, func(b *testing.B, s store.Lexical, c corpus) {
		percentiles(b, 1000, func(i int) error {
			var tokens []string
			for _, t := range c.queries[i%len(c.queries)] {
				tokens = append(tokens, t.Token)
			}
			_, err := s.Counts(b.Context(), tokens)
			return err
		})
	})
}

func BenchmarkMark(b *testing.B) {
	s, _ := remote(b)
	b.Run("Mark", func(b *testing.B) {
		percentiles(b, 200, func(int) error {
			_, err := s.Mark(b.Context())
			return err
		})
	})
	b.Run("SetMark", func(b *testing.B) {
		percentiles(b, 200, func(i int) error {
			return s.SetMark(b.Context(), store.Mark{ID: "bench", Position: uint64(i)})
		})
	})
}
