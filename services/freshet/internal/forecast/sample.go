package forecast

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// sampleBytes is how much is cut and embedded: a few seconds' work.
	sampleBytes = 16 << 20
	// stratumMin is the least documents of a stratum that are cut, so that
	// their spread can be told.
	stratumMin = 8
	// strataMax bounds the strata of a collection; rare extensions share one.
	strataMax = 32
)

// stratum are documents that are cut alike: those of one extension in one
// collection.
type stratum struct {
	collection document.Collection
	docs       []doc // by size
	bytes      int64
	cut        []measured
}

// measured is a document that was really cut.
type measured struct {
	bytes, passages, tokens int64
}

// strata groups documents, those of a collection one after the other.
func strata(docs []doc) []*stratum {
	type key struct {
		collection document.Collection
		ext        string
	}
	by := map[key]*stratum{}
	add := func(k key, list ...doc) {
		s := by[k]
		if s == nil {
			s = &stratum{collection: k.collection}
			by[k] = s
		}
		for _, d := range list {
			s.docs = append(s.docs, d)
			s.bytes += d.bytes
		}
	}
	for _, d := range docs {
		add(key{d.collection, d.path.Ext()}, d)
	}
	// No extension has a slash in it.
	const rare = "/"
	seen := map[document.Collection]int{}
	for _, k := range slices.SortedFunc(maps.Keys(by), func(a, b key) int {
		return cmp.Or(cmp.Compare(by[b].bytes, by[a].bytes), cmp.Compare(a.ext, b.ext), cmp.Compare(a.collection, b.collection))
	}) {
		if seen[k.collection]++; seen[k.collection] > strataMax {
			add(key{k.collection, rare}, by[k].docs...)
			delete(by, k)
		}
	}
	var out []*stratum
	for _, k := range slices.SortedFunc(maps.Keys(by), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.collection, b.collection), cmp.Compare(a.ext, b.ext))
	}) {
		s := by[k]
		slices.SortFunc(s.docs, func(a, b doc) int { return cmp.Or(cmp.Compare(a.bytes, b.bytes), cmp.Compare(a.path, b.path)) })
		out = append(out, s)
	}
	return out
}

// choose returns the documents to cut: budget bytes of all, in proportion to
// what a stratum has, and spread over its sizes.
func (s *stratum) choose(budget, all int64) []doc {
	n := len(s.docs)
	if all > budget && s.bytes > 0 {
		share := float64(budget) * float64(s.bytes) / float64(all)
		n = min(n, max(stratumMin, int(math.Round(share*float64(len(s.docs))/float64(s.bytes)))))
	}
	out := make([]doc, n)
	for i := range out {
		out[i] = s.docs[int((float64(i)+0.5)*float64(len(s.docs))/float64(n))]
	}
	return out
}

// spread is the sum of the estimates of several strata.
type spread struct{ value, variance float64 }

// add extrapolates what of finds in the sample of s by the ratio to the bytes;
// fallback is that ratio for a stratum of which nothing was cut. (Ratio
// estimator: Cochran, Sampling Techniques, 3rd ed., 6.11.)
func (e *spread) add(s *stratum, of func(measured) int64, fallback float64) {
	var x, y float64
	for _, m := range s.cut {
		x, y = x+float64(m.bytes), y+float64(of(m))
	}
	n, all := float64(len(s.cut)), float64(len(s.docs))
	if n == all {
		e.value += y
		return
	}
	ratio := fallback
	if x > 0 {
		ratio = y / x
	}
	guess := ratio * float64(s.bytes)
	e.value += guess
	if n < 2 {
		e.variance += guess * guess // nothing is known of the spread
		return
	}
	var residuals float64
	for _, m := range s.cut {
		d := float64(of(m)) - ratio*float64(m.bytes)
		residuals += d * d
	}
	e.variance += all * all * (1 - n/all) / n * residuals / (n - 1)
}

func (e spread) estimate() Estimate {
	return Estimate{Value: int64(math.Round(e.value)), Margin: int64(math.Ceil(1.96 * math.Sqrt(e.variance)))}
}

// estimates extrapolates the strata of one collection, or of all for "".
func estimates(list []*stratum, collection document.Collection) (passages, tokens Estimate) {
	var p, t spread
	var bytes, cutPassages, cutTokens int64
	for _, s := range list {
		for _, m := range s.cut {
			bytes, cutPassages, cutTokens = bytes+m.bytes, cutPassages+m.passages, cutTokens+m.tokens
		}
	}
	bytes = max(bytes, 1)
	for _, s := range list {
		if collection != "" && s.collection != collection {
			continue
		}
		p.add(s, func(m measured) int64 { return m.passages }, float64(cutPassages)/float64(bytes))
		t.add(s, func(m measured) int64 { return m.tokens }, float64(cutTokens)/float64(bytes))
	}
	return p.estimate(), t.estimate()
}
