package storetest

import (
	"context"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// testLife covers mark, closing and dropping.
func testLife(t *testing.T, open opener) {
	ctx := context.Background()
	t.Run("markAndContentSurviveCloseAndOpen", func(t *testing.T) {
		dir := t.TempDir()
		p := open(t, dir)
		p.create(t)
		items := chunks(60)
		p.put(t, items[:40]...)
		p.refresh(t)
		p.delete(t, ids(items[:10])...)
		p.put(t, items[40:]...)
		want := store.Mark{ID: "one", Position: 77}
		p.setMark(t, want)
		p.close(t) // without a refresh
		p = open(t, dir)
		if got := p.mark(t); got != want {
			t.Fatalf("the mark is %+v, want %+v", got, want)
		}
		p.refresh(t)
		p.holds(t, ids(items[10:])...)
		p.put(t, items[0])
		p.delete(t, items[59].id)
		p.refresh(t)
		p.holds(t, ids(append([]item{items[0]}, items[10:59]...))...)
		if err := p.Drop(ctx); err != nil {
			t.Fatalf("drop: %v", err)
		}
	})
	t.Run("markOfAnEmptyStoreSurvives", func(t *testing.T) {
		dir := t.TempDir()
		p := open(t, dir)
		p.create(t)
		want := store.Mark{ID: "one", Position: 1 << 62} // more than a float64 tells apart
		p.setMark(t, want)
		p.setMark(t, want)
		p.close(t)
		p = open(t, dir)
		if got := p.mark(t); got != want {
			t.Fatalf("the mark is %+v, want %+v", got, want)
		}
		if err := p.Drop(ctx); err != nil {
			t.Fatalf("drop: %v", err)
		}
	})
	t.Run("nothingOutlivesDrop", func(t *testing.T) {
		dir := t.TempDir()
		p := open(t, dir)
		p.create(t)
		p.put(t, chunks(20)...)
		p.refresh(t)
		if err := p.Drop(ctx); err != nil {
			t.Fatalf("drop: %v", err)
		}
		if _, err := p.find(ctx, store.Filter{}, 1); err == nil {
			t.Fatal("a dropped store answers")
		}
		if _, err := p.apply(ctx, chunks(1), nil); err == nil {
			t.Fatal("a dropped store takes a batch")
		}
		p.close(t)
		p = open(t, dir)
		p.create(t) // checks that the mark is gone
		p.holds(t)
		if err := p.Drop(ctx); err != nil {
			t.Fatalf("drop: %v", err)
		}
	})
	t.Run("twoStoresAreApart", func(t *testing.T) {
		a, b := start(t, open), start(t, open)
		a.setMark(t, store.Mark{ID: "a", Position: 1})
		b.setMark(t, store.Mark{ID: "b", Position: 2})
		if a.mark(t).ID != "a" || b.mark(t).ID != "b" {
			t.Fatal("two stores share a mark")
		}
		items := chunks(2)
		a.put(t, items[0])
		b.put(t, items[1])
		a.refresh(t)
		b.refresh(t)
		a.holds(t, items[0].id)
		b.holds(t, items[1].id)
	})
	t.Run("positionNeverAheadOfContent", func(t *testing.T) {
		dir := t.TempDir()
		p := open(t, dir)
		p.create(t)
		items := chunks(90)
		seq := 0
		for round := range 6 {
			for range 10 {
				p.put(t, items[seq])
				seq++
				p.setMark(t, store.Mark{ID: "one", Position: uint64(seq)})
			}
			for range round % 3 { // applied, but not covered by the position
				p.put(t, items[seq])
				seq++
			}
			p.close(t)
			p = open(t, dir)
			p.refresh(t)
			position := p.mark(t).Position
			if position == 0 || position > uint64(seq) {
				t.Fatalf("round %d: the position is %d of %d", round, position, seq)
			}
			held := make(map[document.ChunkID]bool)
			for _, id := range p.listed(t, store.Scope{}) {
				held[id] = true
			}
			for i := range position {
				if !held[items[i].id] {
					t.Fatalf("round %d: the position is %d and item %d is missing", round, position, i)
				}
			}
		}
		if err := p.Drop(ctx); err != nil {
			t.Fatalf("drop: %v", err)
		}
	})
	t.Run("closedStoreRefuses", func(t *testing.T) {
		dir := t.TempDir()
		p := open(t, dir)
		p.create(t)
		p.close(t)
		p.close(t) // again is fine
		if err := p.Refresh(ctx); err == nil {
			t.Error("a closed store refreshes")
		}
		if _, err := p.find(ctx, store.Filter{}, 1); err == nil {
			t.Error("a closed store answers")
		}
		if _, err := p.apply(ctx, chunks(1), nil); err == nil {
			t.Error("a closed store takes a batch")
		}
		failed := false
		for _, err := range p.IDs(ctx, store.Scope{}) {
			failed = failed || err != nil
		}
		if !failed {
			t.Error("a closed store lists ids")
		}
		p = open(t, dir)
		if err := p.Drop(ctx); err != nil {
			t.Fatalf("drop: %v", err)
		}
	})
}
