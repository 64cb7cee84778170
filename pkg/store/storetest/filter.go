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

// testSearch covers what both ports' searches promise: filters, k, ties.
func testSearch(t *testing.T, open opener) {
	t.Run("filters", func(t *testing.T) {
		p := start(t, open)
		items := filterItems()
		for i := range items { // in several segments, where a store has such
			p.put(t, items[i])
			if i%7 == 0 {
				p.refresh(t)
			}
		}
		p.delete(t, items[3].id)
		p.refresh(t)
		items = slices.Delete(items, 3, 4)
		matched := 0
		for _, f := range filters() {
			var want []document.ChunkID
			for _, it := range items {
				if passes(it.attrs, f) {
					want = append(want, it.id)
				}
			}
			matched += len(want)
			if got := sorted(p.found(t, f, len(items))); !slices.Equal(got, sorted(want)) {
				t.Errorf("%+v finds %s, want %s", f, short(got), short(want))
			}
		}
		if matched == 0 {
			t.Fatal("no filter let anything through")
		}
	})
	t.Run("siblingWithTheSamePrefix", func(t *testing.T) {
		p := start(t, open)
		inside := []item{chunk("s", "pkg/bus", 0), chunk("s", "pkg/bus/a.go", 0), chunk("s", "pkg/bus/x/y/b.go", 0)}
		outside := []item{
			chunk("s", "pkg/business/a.go", 0), chunk("s", "pkg/bus.go", 0), chunk("s", "pkg/bu", 0),
			chunk("s", "x/pkg/bus/a.go", 0), chunk("s", "PKG/BUS/a.go", 0), chunk("s", "pkg/bus-old/a.go", 0),
		}
		p.put(t, append(slices.Clone(inside), outside...)...)
		p.refresh(t)
		got := sorted(p.found(t, store.Filter{Dirs: []string{"pkg/bus"}}, 100))
		if !slices.Equal(got, sorted(ids(inside))) {
			t.Fatalf("found %s, want %s", short(got), short(ids(inside)))
		}
	})
	t.Run("patternsAreNoPatterns", func(t *testing.T) {
		p := start(t, open)
		star := chunk("s", "a*/x.go", 0)
		p.put(t, star, chunk("s", "ab/x.go", 0), chunk("s", "a/x.go", 0))
		p.refresh(t)
		if got := p.found(t, store.Filter{Dirs: []string{"a*"}}, 10); !slices.Equal(got, []document.ChunkID{star.id}) {
			t.Fatalf("found %s", short(got))
		}
		if got := p.found(t, store.Filter{Dirs: []string{"?", ".*"}}, 10); len(got) != 0 {
			t.Fatalf("found %s", short(got))
		}
	})
	t.Run("kBounds", func(t *testing.T) {
		p := start(t, open)
		items := chunks(120)
		p.put(t, items...)
		p.refresh(t)
		for k, want := range map[int]int{-1: 0, 0: 0, 1: 1, 7: 7, 119: 119, 120: 120, 121: 120, 10_000: 120, 10_000_000: 120} {
			if got := p.found(t, store.Filter{}, k); len(got) != want {
				t.Errorf("k = %d finds %d, want %d", k, len(got), want)
			}
		}
	})
	t.Run("tiesByPathAndSymbol", func(t *testing.T) {
		p := start(t, open)
		items := chunks(150)
		for i, it := range items {
			p.put(t, it)
			if i%40 == 0 {
				p.refresh(t)
			}
		}
		p.refresh(t)
		slices.SortFunc(items, func(a, b item) int { return store.CompareTied(&a.attrs, &b.attrs, a.id, b.id) })
		want := ids(items)
		for _, k := range []int{1, 10, 149, 150} {
			if got := p.found(t, store.Filter{}, k); !slices.Equal(got, want[:k]) {
				t.Fatalf("k = %d: found %s, want %s", k, short(got), short(want[:k]))
			}
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		p := start(t, open)
		p.put(t, chunks(3)...)
		p.refresh(t)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if hits, err := p.find(ctx, store.Filter{}, 3); err == nil {
			t.Fatalf("a cancelled search has %d hits and no error", len(hits))
		}
	})
}

// filterItems crosses sources, paths, languages and kinds.
func filterItems() []item {
	var out []item
	paths := []document.Path{"main.go", "pkg/a.go", "pkg/a.go/b", "pkg/deep/er/c.py", "pkgs/a.go", "docs/ü/d.md"}
	for _, source := range []document.Source{"api", "api-2", "web"} {
		for p, path := range paths {
			for k, kind := range []string{document.KindFunction, document.KindType, ""} {
				it := chunk(source, path, k)
				it.attrs.Kind = kind
				it.attrs.Language = []string{"go", "python", ""}[p%3]
				out = append(out, it)
			}
		}
	}
	return out
}

// filters combines entries of every list.
func filters() []store.Filter {
	var out []store.Filter
	for _, sources := range [][]document.Source{nil, {"api"}, {"api", "web"}, {"ap"}} {
		for _, languages := range [][]string{nil, {"go"}, {"python", "rust"}} {
			for _, kinds := range [][]string{nil, {document.KindType}, {document.KindFunction, document.KindType}, {"nothing"}} {
				for _, dirs := range [][]string{nil, {"pkg"}, {"pkg/a.go"}, {"docs", "main.go"}, {"docs/ü"}, {"none"}} {
					out = append(out, store.Filter{Sources: sources, Languages: languages, Kinds: kinds, Dirs: dirs})
				}
			}
		}
	}
	return out
}

// passes is the definition of a filter.
func passes(a store.Attrs, f store.Filter) bool {
	return (len(f.Sources) == 0 || slices.Contains(f.Sources, a.Source)) &&
		(len(f.Languages) == 0 || slices.Contains(f.Languages, a.Language)) &&
		(len(f.Kinds) == 0 || slices.Contains(f.Kinds, a.Kind)) &&
		(len(f.Dirs) == 0 || slices.ContainsFunc(f.Dirs, func(d string) bool {
			return string(a.Path) == d || strings.HasPrefix(string(a.Path), fmt.Sprintf("%s/", d))
		}))
}
