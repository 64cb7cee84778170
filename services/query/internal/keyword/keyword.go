// Package keyword chooses documents by the words of their paths, from the heads
// of the log alone. It stands in for a lexical index that does not answer.
package keyword

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
)

// Choose returns at most limit of the documents that all goes through, those
// first whose path has most of the query's words, each weighed by how few paths
// have it. all calls its argument for every document in scope.
func Choose(words *cover.Words, limit int, all func(func(*contract.FileHead))) []contract.FileHead {
	type match struct {
		head contract.FileHead
		held cover.Set
		rate float64
	}
	var found []match
	total := 0
	with := make([]int, words.Len())
	all(func(h *contract.FileHead) {
		if h.Op != contract.OpPut {
			return
		}
		total++
		held := words.In([]byte(h.Path.Raw()))
		if held == 0 {
			return
		}
		found = append(found, match{head: *h, held: held})
		for i := range with {
			if held.Has(i) {
				with[i]++
			}
		}
	})
	for k := range found {
		for i, n := range with {
			if found[k].held.Has(i) {
				found[k].rate += math.Log(1 + float64(total)/float64(n))
			}
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		switch {
		case a.rate > b.rate:
			return -1
		case a.rate < b.rate:
			return 1
		case len(a.head.Path) != len(b.head.Path):
			return len(a.head.Path) - len(b.head.Path) // more of it was asked for
		}
		return cmp.Or(strings.Compare(string(a.head.Path), string(b.head.Path)), strings.Compare(string(a.head.Source), string(b.head.Source)), strings.Compare(string(a.head.View), string(b.head.View)))
	})
	var out []contract.FileHead
	for _, m := range found[:min(len(found), limit)] {
		out = append(out, m.head)
	}
	return out
}

// Flat weighs every word alike: without an index nobody knows how rare one is.
type Flat struct{}

// IDF implements plain.Scale.
func (Flat) IDF(int) float64 { return 1 }
