package postings_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Beside each deleted chunk many stay, so that no merge is due; writes, deletes
// and searches go on meanwhile.
func TestDeletedWords_StandInNoFileAfterAnExpunge(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	s := open(t, dir)
	apply := func(b store.LexicalBatch) {
		if _, err := s.Apply(t.Context(), b); err != nil {
			t.Error(err)
		}
		if err := s.Refresh(t.Context()); err != nil {
			t.Error(err)
		}
	}
	entry := func(tokens ...string) store.LexicalEntry {
		return store.LexicalEntry{ID: document.ChunkID(uuid.New()), Attrs: store.Attrs{Source: "s", Path: document.Path(tokens[0])}, Tokens: tokens}
	}
	var gone []document.ChunkID
	for i := range 400 { // segments of both kinds, small and large
		b := store.LexicalBatch{}
		for k := range 1 + i%7 {
			b.Put = append(b.Put, entry(fmt.Sprintf("kept%dx%d", i, k), "common"))
		}
		if i%20 == 0 {
			e := entry(fmt.Sprintf("canary%d", i), "common")
			b.Put, gone = append(b.Put, e), append(gone, e.ID)
		}
		apply(b)
	}
	apply(store.LexicalBatch{Delete: gone})
	if err := s.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	var busy sync.WaitGroup
	busy.Go(func() {
		for i := range 50 {
			e := entry(fmt.Sprintf("late%d", i))
			apply(store.LexicalBatch{Put: []store.LexicalEntry{e}})
			apply(store.LexicalBatch{Delete: []document.ChunkID{e.ID}})
		}
	})
	if _, err := s.Expunge(t.Context()); err != nil {
		t.Fatal(err) // a merge that was due may have left them out before
	}
	busy.Wait()
	if _, err := s.Expunge(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("files %v (%v)", files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"canary", "late"} {
			if bytes.Contains(content, []byte(word)) {
				t.Errorf("%s holds %s", filepath.Base(file), word)
			}
		}
	}
	hits, err := s.Search(t.Context(), []store.Term{{Token: "common", Weight: 1}}, store.Filter{}, 10_000)
	if want := 1600 - 400%7; err != nil || len(hits) < want-10 {
		t.Errorf("%d chunks are found (%v), want about %d", len(hits), err, want)
	}
}
