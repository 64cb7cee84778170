package segment_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
	"github.com/freshet-dev/freshet/pkg/store/postings"
)

// embedded is what both stores have on top of segment.Set.
type embedded interface {
	store.Store
	Recovered() string
	Snapshot(ctx context.Context) error
	SnapshotErr() error
}

const dims = 8

// engine is one of the embedded stores.
type engine struct {
	open  func(dir string, every time.Duration) (embedded, error)
	apply func(s embedded, put, del []int) (store.Result, error)
}

var engines = map[string]engine{
	"postings": {
		open: func(dir string, every time.Duration) (embedded, error) {
			return asEmbedded(postings.Open(dir, postings.Options{SnapshotEvery: every}))
		},
		apply: func(s embedded, put, del []int) (store.Result, error) {
			batch := store.LexicalBatch{Delete: idsOf(del)}
			for _, n := range put {
				batch.Put = append(batch.Put, store.LexicalEntry{ID: idOf(n), Attrs: attrsOf(n), Tokens: []string{"a", fmt.Sprint(n), fmt.Sprint(n % 7)}})
			}
			return s.(*postings.Store).Apply(context.Background(), batch)
		},
	},
	"flat": {
		open: func(dir string, every time.Duration) (embedded, error) {
			return asEmbedded(flat.Open(dir, dims, flat.Options{SnapshotEvery: every}))
		},
		apply: func(s embedded, put, del []int) (store.Result, error) {
			batch := store.VectorBatch{Delete: idsOf(del)}
			for _, n := range put {
				v := embed.Vector{Scale: 1, Data: make([]int8, dims)}
				v.Data[n%dims] = int8(n)
				batch.Put = append(batch.Put, store.VectorEntry{ID: idOf(n), Attrs: attrsOf(n), Vector: v})
			}
			return s.(*flat.Store).Apply(context.Background(), batch)
		},
	},
}

// asEmbedded keeps a nil store from becoming an interface that is not nil.
func asEmbedded[S embedded](s S, err error) (embedded, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

func pathOf(n int) document.Path { return document.Path(fmt.Sprintf("d%d/f%d.go", n%5, n/10)) }

func idOf(n int) document.ChunkID { return document.NewChunkID("s", pathOf(n), "", n, 1) }

func idsOf(list []int) []document.ChunkID {
	out := make([]document.ChunkID, len(list))
	for i, n := range list {
		out[i] = idOf(n)
	}
	return out
}

func attrsOf(n int) store.Attrs {
	return store.Attrs{Source: "s", Doc: document.DocOf(pathOf(n)), Path: pathOf(n), Language: "go", Symbol: fmt.Sprint("F", n)}
}

// each runs a test for both engines.
func each(t *testing.T, test func(t *testing.T, e engine)) {
	for name, e := range engines {
		t.Run(name, func(t *testing.T) { test(t, e) })
	}
}

func mustOpen(t testing.TB, e engine, dir string, every time.Duration) embedded {
	t.Helper()
	s, err := e.open(dir, every)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { s.Close() }) // closing again does nothing
	return s
}

// change applies a batch and refreshes.
func change(t testing.TB, e engine, s embedded, put, del []int) {
	t.Helper()
	result, err := e.apply(s, put, del)
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	for _, err := range append(result.Put, result.Delete...) {
		if err != nil {
			t.Fatalf("apply: %v", err)
		}
	}
	if err := s.Refresh(context.Background()); err != nil {
		t.Fatalf("refresh: %v", err)
	}
}

func mustClose(t testing.TB, s embedded) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

// held returns the ids that the store lists.
func held(t testing.TB, s embedded) map[document.ChunkID]bool {
	t.Helper()
	out := make(map[document.ChunkID]bool)
	for ref, err := range s.IDs(context.Background(), store.Scope{}) {
		if err != nil {
			t.Fatalf("ids: %v", err)
		}
		if out[ref.ID] {
			t.Fatalf("%s is listed twice", ref.ID)
		}
		out[ref.ID] = true
	}
	return out
}

// holds checks that the store lists exactly these.
func holds(t testing.TB, s embedded, want []int) {
	t.Helper()
	got := held(t, s)
	for _, n := range want {
		if !got[idOf(n)] {
			t.Fatalf("%d is missing", n)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("the store lists %d ids, want %d", len(got), len(want))
	}
}

func span(from, to int) []int {
	var out []int
	for n := from; n < to; n++ {
		out = append(out, n)
	}
	return out
}

func markOf(t testing.TB, s embedded) store.Mark {
	t.Helper()
	m, err := s.Mark(context.Background())
	if err != nil {
		t.Fatalf("mark: %v", err)
	}
	return m
}

func setMark(t testing.TB, s embedded, m store.Mark) {
	t.Helper()
	if err := s.SetMark(context.Background(), m); err != nil {
		t.Fatalf("set mark: %v", err)
	}
}

// filesOf reads the files of a store but its lock.
func filesOf(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]byte)
	for _, e := range entries {
		if e.Name() == "LOCK" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = data
	}
	return out
}

// writeFiles makes dir hold exactly these files.
func writeFiles(t testing.TB, dir string, files map[string][]byte) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMain runs as the process that is killed when a test started it so.
func TestMain(m *testing.M) {
	if dir := os.Getenv("FRESHET_TEST_VICTIM_DIR"); dir != "" {
		if err := victim(engines[os.Getenv("FRESHET_TEST_VICTIM_ENGINE")], dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
