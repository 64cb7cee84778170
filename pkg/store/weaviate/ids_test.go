//go:build servers

package weaviate_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

func TestDocumentOfManyPages_IsListedInFull(t *testing.T) {
	s, _ := created(t, 4)
	const n = 1234
	var entries []store.VectorEntry
	want := make(map[document.Path]map[document.ChunkID]bool)
	for i := range n {
		for _, path := range []document.Path{"large.txt", document.Path(fmt.Sprintf("small%d.txt", i%7))} {
			e := entry(path, i, axis(i%4))
			entries = append(entries, e)
			if want[path] == nil {
				want[path] = make(map[document.ChunkID]bool)
			}
			want[path][e.ID] = true
		}
	}
	put(t, s, entries...)
	for path, ids := range want {
		got := listed(t, s, store.Scope{Source: "s", Doc: document.DocOf(path)})
		if len(got) != len(ids) {
			t.Fatalf("%s has %d chunks, want %d", path, len(got), len(ids))
		}
		for id := range ids {
			if !got[id] {
				t.Fatalf("%s of %s is missing", id, path)
			}
		}
	}
	if got := listed(t, s, store.Scope{}); len(got) != 2*n {
		t.Fatalf("%d chunks are listed, want %d", len(got), 2*n)
	}
	if got, err := s.Count(t.Context()); err != nil || got != 2*n {
		t.Fatalf("Count is %d, %v, want %d", got, err, 2*n)
	}
}

// What a document has of other languages, control characters and quotes meets
// two languages on its way, JSON and GraphQL, and the server's tokenization.
func TestFilterWithAnyCharacters_FindsExactlyItsOwn(t *testing.T) {
	s, _ := created(t, 4)
	names := []string{
		"a", "A", " a", "a ", "\u00a0a", "a\u3000", `a"b`, `a\b`, `a\"b`, "a\nb", "a\tb", "a\x01b", "a\x7fb", "a\U000e0001b", "a\ufeffb",
		"a%20", "%61", "a*", "a?", "*", "[a]", "{a}", "$a", "a:b", "日本語", "ä", "a\u0308", "🙂", "the", "and", "null", "true",
	}
	entries := make([]store.VectorEntry, len(names))
	for i, name := range names {
		e := entry(document.Path(name+"/x"), i, axis(0))
		e.Attrs.Language, e.Attrs.Kind, e.Attrs.Symbol = name, name, name
		entries[i] = e
	}
	put(t, s, entries...)
	for i, name := range names {
		for _, f := range []store.Filter{
			{Languages: []string{name}}, {Kinds: []string{name}}, {Dirs: []string{name}}, {Dirs: []string{name + "/x"}}, {Dirs: []string{name + "//"}},
			{Languages: []string{"other", name}, Kinds: []string{name, ""}, Dirs: []string{name, "other"}},
		} {
			hits, err := s.Search(t.Context(), axis(0), f, 100)
			must(t, err)
			if len(hits) != 1 || hits[0].ID != entries[i].ID || hits[0].Attrs != entries[i].Attrs {
				t.Errorf("%q finds %+v", f, hits)
			}
		}
	}
	for _, root := range [][]string{{""}, {"/"}, {"other", ""}} {
		hits, err := s.Search(t.Context(), axis(0), store.Filter{Dirs: root}, 100)
		must(t, err)
		if len(hits) != len(names) {
			t.Errorf("below %q are %d, want all %d", root, len(hits), len(names))
		}
	}
	kinds := make([]string, 500)
	for i := range kinds {
		kinds[i] = fmt.Sprintf("kind%d", i)
	}
	hits, err := s.Search(t.Context(), axis(0), store.Filter{Kinds: slices.Concat(kinds, []string{"the"})}, 100)
	if err != nil || len(hits) != 1 {
		t.Errorf("a filter with many entries finds %d, %v", len(hits), err)
	}
}
