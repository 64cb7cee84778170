package freshness

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// TestPendingDocuments_AreAllListedOrCounted compares with a look at every document.
func TestPendingDocuments_AreAllListedOrCounted(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 3))
		var l lineup
		var all []*unsettled
		version := document.Version(0)
		for range 300 {
			version++
			head := contract.FileHead{
				Source: document.Source("s" + strconv.Itoa(random.IntN(3))), View: document.Worktree,
				Collection: []document.Collection{"", "code", "docs"}[random.IntN(3)],
				Path:       document.Path([]string{"a/", "b/"}[random.IntN(2)]), Version: version, Live: random.IntN(8) == 0,
			}
			switch n := random.IntN(4); {
			case n == 0 && len(all) > 0:
				i := random.IntN(len(all))
				l.remove(all[i])
				all = slices.Delete(all, i, i+1)
			case n == 1 && len(all) > 0:
				u := all[random.IntN(len(all))]
				u.head = head
				l.put(u)
			default:
				u := &unsettled{head: head}
				all = append(all, u)
				l.put(u)
			}
		}
		for _, in := range []Scope{
			{Group: func(document.Source, document.View, document.Collection) bool { return true }},
			{Group: func(s document.Source, _ document.View, c document.Collection) bool { return s != "s1" && c != "docs" }},
			{
				Group: func(s document.Source, _ document.View, _ document.Collection) bool { return s == "s0" },
				Head:  func(h *contract.FileHead) bool { return strings.HasPrefix(string(h.Path), "a/") },
			},
		} {
			var want []*unsettled
			for _, u := range all {
				if in.includes(&u.head) {
					want = append(want, u)
				}
			}
			slices.SortFunc(want, func(a, b *unsettled) int {
				if a.head.Live != b.head.Live {
					if a.head.Live {
						return -1
					}
					return 1
				}
				return int(b.head.Version) - int(a.head.Version)
			})
			for _, limit := range []int{0, 1, 10, 1000} {
				got, more := l.first(in, limit)
				if n := min(limit, len(want)); !slices.Equal(got, want[:n]) || more != len(want)-n {
					t.Fatalf("seed %d, limit %d: %d of %d listed, %d more", seed, limit, len(got), len(want), more)
				}
			}
		}
	}
}

func BenchmarkPendingDuringLoad(b *testing.B) {
	var l lineup
	for i := range 11_000 {
		l.put(&unsettled{head: contract.FileHead{Source: "s", View: document.Worktree, Collection: "code", Version: document.Version(i + 1)}})
	}
	in := Scope{Group: func(document.Source, document.View, document.Collection) bool { return true }}
	b.ReportAllocs()
	for b.Loop() {
		l.first(in, 128)
	}
}
