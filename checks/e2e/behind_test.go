//go:build sabotage

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
	"github.com/freshet-dev/freshet/pkg/store/postings"
)

// stores calls a function with every embedded store of a state folder that
// nobody uses.
func stores(t *testing.T, data string, lexical func(store.Lexical), vector func(store.Vector)) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(data, "stores", "*", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no stores below %s: %v", data, err)
	}
	for _, dir := range dirs {
		if strings.HasPrefix(filepath.Base(dir), string(document.Lexical)) {
			s, err := postings.Open(dir, postings.Options{})
			if err != nil {
				t.Fatal(err)
			}
			lexical(s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		s, err := flat.Open(dir, dims(t), flat.Options{})
		if err != nil {
			t.Fatal(err)
		}
		vector(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// leaveOrphans puts into each store what a worker leaves behind that dies
// between its write and its publish.
func leaveOrphans(t *testing.T, data string) {
	t.Helper()
	model, err := open.Embedder(config.Default().Embedder)
	if err != nil {
		t.Fatal(err)
	}
	vector, err := model.EmbedQuery(t.Context(), "orphan")
	if err != nil {
		t.Fatal(err)
	}
	id := document.ChunkID(uuid.New())
	attrs := store.Attrs{Source: "prey", Doc: document.DocOf("vulture/never.go"), Path: "vulture/never.go"}
	stores(t, data, func(s store.Lexical) {
		if _, err := s.Apply(t.Context(), store.LexicalBatch{Put: []store.LexicalEntry{{ID: id, Attrs: attrs, Tokens: []string{"orphan"}}}}); err != nil {
			t.Fatal(err)
		}
	}, func(s store.Vector) {
		if _, err := s.Apply(t.Context(), store.VectorBatch{Put: []store.VectorEntry{{ID: id, Attrs: attrs, Vector: vector}}}); err != nil {
			t.Fatal(err)
		}
	})
}

// exchangeStores puts others in the place of the stores: as complete by their
// own account, and with nothing of what the log lists.
func exchangeStores(t *testing.T, data string) {
	t.Helper()
	marks := func(visit func(store.Store)) {
		stores(t, data, func(s store.Lexical) { visit(s) }, func(s store.Vector) { visit(s) })
	}
	var positions []uint64
	marks(func(s store.Store) {
		m, err := s.Mark(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		positions = append(positions, m.Position)
	})
	dirs, err := filepath.Glob(filepath.Join(data, "stores", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	marks(func(s store.Store) {
		if err := s.SetMark(t.Context(), store.Mark{ID: uuid.NewString(), Position: positions[0]}); err != nil {
			t.Fatal(err)
		}
		positions = positions[1:]
	})
	leaveOrphans(t, data)
}

// olderCopy is a copy of the stores.
type olderCopy struct{ dir string }

func (c *olderCopy) take(t *testing.T, data string) {
	t.Helper()
	c.dir = filepath.Join(t.TempDir(), "stores")
	if err := os.CopyFS(c.dir, os.DirFS(filepath.Join(data, "stores"))); err != nil {
		t.Fatal(err)
	}
}

func (c *olderCopy) putBack(t *testing.T, data string) {
	t.Helper()
	stores := filepath.Join(data, "stores")
	if err := os.RemoveAll(stores); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(stores, os.DirFS(c.dir)); err != nil {
		t.Fatal(err)
	}
}
