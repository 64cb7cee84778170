package storetest

import (
	"context"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// testLife covers identity, position, closing and dropping.
func testLife(t *testing.T, open opener) {
	ctx := context.Background()
	t.Run("identityAndContentSurviveCloseAndOpen", func(t *testing.T) {
		dir := t.TempDir()
		p := open(t, dir)
		id := p.ID()
		if id == "" {
			t.Fatal("the store has no id")
		}
		items := chunks(60)
		p.put(t, items[:40]...)
		p.refresh(t)
		p.delete(t, ids(items[:10])...)
		p.put(t, items[40:]...)
		p.setPosition(t, 77)
		p.close(t) // without a refresh
		p = open(t, dir)
		if p.ID() != id {
			t.Fatalf("the id was %s and is %s", id, p.ID())
		}
		if got := p.position(t); got != 77 {
			t.Fatalf("the position is %d", got)
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
	t.Run("emptyStoreKeepsItsIdentity", func(t *testing.T) {
		dir := t.TempDir()
		p := open(t, dir)
		id := p.ID()
		if got := p.position(t); got != 0 {
			t.Fatalf("a new store has the position %d", got)
		}
		p.close(t)
		p = open(t, dir)
		if p.ID() != id {
			t.Fatalf("the id was %s and is %s", id, p.ID())
		}
		if err := p.Drop(ctx); err != nil {
			t.Fatalf("drop: %v", err)
		}
	})
	t.Run("identityChangesAfterDrop", func(t *testing.T) {
		dir := t.TempDir()
		p := open(t, dir)
		id := p.ID()
		p.put(t, chunks(20)...)
		p.setPosition(t, 5)
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
		if p.ID() == id {
			t.Fatal("the store that was made again has the old id")
		}
		if got := p.position(t); got != 0 {
			t.Fatalf("the store that was made again has the position %d", got)
		}
		p.holds(t)
		if err := p.Drop(ctx); err != nil {
			t.Fatalf("drop: %v", err)
		}
	})
	t.Run("twoStoresHaveTwoIdentities", func(t *testing.T) {
		a, b := start(t, open), start(t, open)
		if a.ID() == b.ID() {
			t.Fatal("two stores have one id")
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
		items := chunks(90)
		seq := 0
		for round := range 6 {
			for range 10 {
				p.put(t, items[seq])
				seq++
				p.setPosition(t, uint64(seq))
			}
			for range round % 3 { // applied, but not covered by the position
				p.put(t, items[seq])
				seq++
			}
			p.close(t)
			p = open(t, dir)
			p.refresh(t)
			position := p.position(t)
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
