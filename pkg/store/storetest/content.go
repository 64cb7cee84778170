package storetest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// testContent covers what is put, deleted and listed.
func testContent(t *testing.T, open opener) {
	t.Run("appliedIsThereAfterRefresh", func(t *testing.T) {
		p := start(t, open)
		p.holds(t)
		items := chunks(25)
		p.put(t, items[:10]...)
		p.refresh(t)
		p.holds(t, ids(items[:10])...)
		p.put(t, items[10:11]...)
		p.refresh(t)
		p.refresh(t)
		p.holds(t, ids(items[:11])...)
		p.change(t, items[11:], ids(items[:5]))
		p.refresh(t)
		p.holds(t, ids(items[5:])...)
	})
	t.Run("putTwiceKeepsOne", func(t *testing.T) {
		p := start(t, open)
		items := chunks(6)
		p.put(t, items[0], items[1], items[0])
		p.put(t, items[1]) // not refreshed yet
		p.refresh(t)
		p.put(t, items...)
		p.refresh(t)
		p.holds(t, ids(items)...)
	})
	t.Run("deleteOfUnknownAndTwice", func(t *testing.T) {
		p := start(t, open)
		items := chunks(6)
		p.delete(t, items[0].id)
		p.put(t, items...)
		p.delete(t, items[1].id, items[1].id) // not refreshed yet
		p.refresh(t)
		p.holds(t, items[0].id, items[2].id, items[3].id, items[4].id, items[5].id)
		p.delete(t, items[2].id)
		p.delete(t, items[2].id, items[1].id)
		p.refresh(t)
		p.holds(t, items[0].id, items[3].id, items[4].id, items[5].id)
	})
	t.Run("putAfterDelete", func(t *testing.T) {
		p := start(t, open)
		items := chunks(3)
		for range 3 { // as a replay of the log does it
			p.put(t, items...)
			p.refresh(t)
			p.delete(t, items[1].id)
			p.refresh(t)
			p.holds(t, items[0].id, items[2].id)
		}
		p.put(t, items[1])
		p.refresh(t)
		p.holds(t, ids(items)...)
	})
	t.Run("everythingDeletedThenFilledAgain", func(t *testing.T) {
		p := start(t, open)
		items := chunks(200)
		for range 3 {
			p.put(t, items...)
			p.refresh(t)
			p.delete(t, ids(items)...)
			p.refresh(t)
			p.holds(t)
		}
		p.put(t, items...)
		p.refresh(t)
		p.holds(t, ids(items)...)
	})
	t.Run("manySmallBatches", func(t *testing.T) {
		p := start(t, open)
		items := chunks(300)
		for i, it := range items {
			var del []document.ChunkID
			if i%3 == 2 {
				del = []document.ChunkID{items[i-1].id}
			}
			p.change(t, []item{it}, del)
			p.refresh(t)
		}
		var want []document.ChunkID
		for i, it := range items {
			if i%3 != 1 {
				want = append(want, it.id)
			}
		}
		p.holds(t, want...)
	})
	t.Run("tenThousandInOneBatch", func(t *testing.T) {
		p := start(t, open)
		items := chunks(10_000)
		p.put(t, items...)
		p.refresh(t)
		if got := p.listed(t, store.Scope{}); !slices.Equal(got, sorted(ids(items))) {
			t.Fatalf("IDs lists %s", short(got))
		}
		p.delete(t, ids(items[1:])...)
		p.refresh(t)
		p.holds(t, items[0].id)
	})
	t.Run("emptyBatch", func(t *testing.T) {
		p := start(t, open)
		p.change(t, nil, nil)
		p.refresh(t)
		p.holds(t)
	})
	t.Run("attributesComeBack", func(t *testing.T) {
		p := start(t, open)
		items := chunks(3)
		items[0].attrs.Path = "bücher/日本語 und Leerraum/ä.md"
		items[0].attrs.Symbol = strings.Repeat("Ω", 500)
		items[1].attrs.Language, items[1].attrs.Kind, items[1].attrs.Symbol = "", "", ""
		items[2].attrs.Symbol = `operator"" <=>'\`
		p.put(t, items...)
		p.refresh(t)
		hits, err := p.find(context.Background(), store.Filter{}, 10)
		if err != nil || len(hits) != 3 {
			t.Fatalf("%d hits, %v", len(hits), err)
		}
		for _, h := range hits {
			i := slices.IndexFunc(items, func(it item) bool { return it.id == h.ID })
			if i < 0 || h.Attrs != items[i].attrs {
				t.Fatalf("the attributes of %s are %+v", h.ID, h.Attrs)
			}
		}
	})
	t.Run("idsOfOneDocument", func(t *testing.T) {
		p := start(t, open)
		items := chunks(40)
		other := chunk("other", items[0].attrs.Path, 0) // same path, other source
		p.put(t, append(items, other)...)
		p.refresh(t)
		p.delete(t, items[10].id)
		p.refresh(t)
		scope := store.Scope{Source: "api", Doc: items[0].attrs.Doc}
		want := []document.ChunkID{items[0].id, items[20].id, items[30].id}
		if got := p.listed(t, scope); !slices.Equal(got, sorted(want)) {
			t.Fatalf("IDs lists %s, want %s", short(got), short(want))
		}
		for ref, err := range p.IDs(context.Background(), scope) {
			if err != nil || ref.Source != scope.Source || ref.Doc != scope.Doc {
				t.Fatalf("%+v, %v", ref, err)
			}
		}
		if got := p.listed(t, store.Scope{Source: "nobody", Doc: scope.Doc}); len(got) != 0 {
			t.Fatalf("IDs lists %s of an unknown source", short(got))
		}
	})
	t.Run("idsStopsWhenAsked", func(t *testing.T) {
		p := start(t, open)
		p.put(t, chunks(50)...)
		p.refresh(t)
		n := 0
		for _, err := range p.IDs(context.Background(), store.Scope{}) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 7 {
				break
			}
		}
		if n != 7 {
			t.Fatalf("the iteration went on to %d", n)
		}
	})
}
