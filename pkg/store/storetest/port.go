// Package storetest holds the conformance suites of the store ports. Every
// implementation passes them, embedded or a server, through the port alone.
//
// A suite gets a function that opens the store behind a directory name: the
// same directory means the same store, whatever it stands for (a folder, or
// the name of an index on a server). The suite closes what it opened, and
// drops it at the end of a test.
package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// item is a chunk without tokens or vector.
type item struct {
	id    document.ChunkID
	attrs store.Attrs
}

// port hides what a row holds beside its attributes, so that what both ports
// promise is tested once.
type port struct {
	store.Store
	apply func(ctx context.Context, put []item, del []document.ChunkID) (store.Result, error)
	// find searches for something that every item holds alike.
	find func(ctx context.Context, filter store.Filter, k int) ([]store.Hit, error)
}

// opener opens the store behind dir.
type opener func(t testing.TB, dir string) port

// start opens a store that is dropped when the test ends.
func start(t *testing.T, open opener) port {
	t.Helper()
	p := open(t, t.TempDir())
	p.create(t)
	t.Cleanup(func() {
		if err := p.Drop(context.Background()); err != nil {
			t.Errorf("drop at the end: %v", err)
		}
		if err := p.Close(); err != nil {
			t.Errorf("close after drop: %v", err)
		}
	})
	return p
}

// put applies items and expects each to be done.
func (p port) put(t testing.TB, items ...item) {
	t.Helper()
	p.change(t, items, nil)
}

// delete applies deletions and expects each to be done.
func (p port) delete(t testing.TB, ids ...document.ChunkID) {
	t.Helper()
	p.change(t, nil, ids)
}

func (p port) change(t testing.TB, put []item, del []document.ChunkID) {
	t.Helper()
	result, err := p.apply(context.Background(), put, del)
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	allDone(t, result, len(put), len(del))
}

func (p port) refresh(t testing.TB) {
	t.Helper()
	if err := p.Refresh(context.Background()); err != nil {
		t.Fatalf("refresh: %v", err)
	}
}

// found returns the ids that a search brings, best first.
func (p port) found(t testing.TB, filter store.Filter, k int) []document.ChunkID {
	t.Helper()
	hits, err := p.find(context.Background(), filter, k)
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	return idsOf(hits)
}

// listed returns what IDs brings, sorted.
func (p port) listed(t testing.TB, scope store.Scope) []document.ChunkID {
	t.Helper()
	var out []document.ChunkID
	for ref, err := range p.IDs(context.Background(), scope) {
		if err != nil {
			t.Fatalf("ids: %v", err)
		}
		out = append(out, ref.ID)
	}
	return sorted(out)
}

// holds checks that the store holds exactly these ids, by every way to ask.
func (p port) holds(t testing.TB, want ...document.ChunkID) {
	t.Helper()
	want = sorted(want)
	if got := p.listed(t, store.Scope{}); !slices.Equal(got, want) {
		t.Fatalf("IDs lists %s, want %s", short(got), short(want))
	}
	if got := sorted(p.found(t, store.Filter{}, len(want)+10)); !slices.Equal(got, want) {
		t.Fatalf("a search finds %s, want %s", short(got), short(want))
	}
	n, err := p.Count(context.Background())
	if err != nil {
		t.Fatalf("count: %v", err)
	}
	if n != len(want) {
		t.Fatalf("Count is %d, want %d", n, len(want))
	}
}

func (p port) mark(t testing.TB) store.Mark {
	t.Helper()
	m, err := p.Mark(context.Background())
	if err != nil {
		t.Fatalf("mark: %v", err)
	}
	if m != (store.Mark{}) {
		if g, err := p.PeekMark(context.Background()); err != nil || g != m {
			t.Fatalf("the mark is %+v, peeked %+v: %v", m, g, err)
		}
	}
	return m
}

func (p port) setMark(t testing.TB, m store.Mark) {
	t.Helper()
	if err := p.SetMark(context.Background(), m); err != nil {
		t.Fatalf("set mark: %v", err)
	}
}

// create gives a new store its first mark.
func (p port) create(t testing.TB) {
	t.Helper()
	if m := p.mark(t); m != (store.Mark{}) {
		t.Fatalf("a new store has the mark %+v", m)
	}
	p.setMark(t, store.Mark{ID: t.Name()})
}

func (p port) close(t testing.TB) {
	t.Helper()
	if err := p.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

// allDone checks a result that has no errors.
func allDone(t testing.TB, r store.Result, puts, deletes int) {
	t.Helper()
	if len(r.Put) != puts || len(r.Delete) != deletes {
		t.Fatalf("the result has %d puts and %d deletes, want %d and %d", len(r.Put), len(r.Delete), puts, deletes)
	}
	for i, err := range r.Put {
		if err != nil {
			t.Fatalf("put %d: %v", i, err)
		}
	}
	for i, err := range r.Delete {
		if err != nil {
			t.Fatalf("delete %d: %v", i, err)
		}
	}
}

// chunk makes an item of a path.
func chunk(source document.Source, path document.Path, occurrence int) item {
	return item{
		id: document.NewChunkID(source, path, document.HashOf([]byte(path)), occurrence, 1),
		attrs: store.Attrs{
			Source: source, Doc: document.DocOf(path), Path: path,
			Language: "go", Kind: document.KindFunction, Symbol: fmt.Sprintf("F%d", occurrence),
		},
	}
}

// chunks makes n items of ten documents.
func chunks(n int) []item {
	out := make([]item, n)
	for i := range out {
		out[i] = chunk("api", document.Path(fmt.Sprintf("pkg/file%d.go", i%10)), i)
	}
	return out
}

func ids(items []item) []document.ChunkID {
	out := make([]document.ChunkID, len(items))
	for i, it := range items {
		out[i] = it.id
	}
	return out
}

func idsOf(hits []store.Hit) []document.ChunkID {
	out := make([]document.ChunkID, len(hits))
	for i, h := range hits {
		out[i] = h.ID
	}
	return out
}

func sorted(list []document.ChunkID) []document.ChunkID {
	out := slices.Clone(list)
	slices.SortFunc(out, document.ChunkID.Compare)
	return out
}

// short prints at most five ids.
func short(list []document.ChunkID) string {
	if len(list) > 5 {
		return fmt.Sprintf("%d ids, %v …", len(list), list[:5])
	}
	return fmt.Sprintf("%d ids, %v", len(list), list)
}
