package recall_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/postings"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
)

// fill returns a store with the given passages, one a document.
func fill(t *testing.T, passages ...[]string) *postings.Store {
	t.Helper()
	s, err := postings.Open(t.TempDir(), postings.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	var batch store.LexicalBatch
	for i, tokens := range passages {
		path := document.Path(fmt.Sprint(len(passages), "/", i))
		batch.Put = append(batch.Put, store.LexicalEntry{
			ID: document.NewChunkID("s", path, "d", 0, 1), Tokens: tokens,
			Attrs: store.Attrs{Source: "s", Doc: document.DocOf(path), Path: path},
		})
	}
	if _, err := s.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.SetMark(t.Context(), store.Mark{ID: "one"}), s.Refresh(t.Context())); err != nil {
		t.Fatal(err)
	}
	return s
}

func known(document.Generation) contract.StoreRecord {
	return contract.StoreRecord{Lineage: contract.Lineage{Store: "one"}}
}

func TestOneProsePage_StandsAboveALargeTreeOfCode(t *testing.T) {
	code := make([][]string, 500)
	for i := range code {
		code[i] = []string{"func", fmt.Sprint("name", i), "return", "error"}
	}
	code[7] = append(code[7], "payment") // one word of three
	stores := map[document.Generation]recall.Lexical{
		"code-1": fill(t, code...),
		"docs-1": fill(t, []string{"rotate", "payment", "key", "once", "month"}),
	}
	terms := []store.Term{{Token: "rotate", Weight: 1}, {Token: "payment", Weight: 1}, {Token: "key", Weight: 1}}
	st, err := recall.Count(t.Context(), stores, terms)
	if err != nil {
		t.Fatal(err)
	}
	r, err := recall.LexicalChannel(stores, known, terms, st).Search(t.Context(), store.Filter{}, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Found) != 2 || r.Found[0].Generation != "docs-1" {
		t.Fatalf("the page with all three words is not first of %d: %+v", len(r.Found), r.Found)
	}
}
