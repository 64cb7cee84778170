package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Nothing is announced here: the file system's events have to do.
func TestEveryChangeOfAFolder_IsSeen(t *testing.T) {
	t.Parallel()
	root := folder(t, "notes")
	write(t, filepath.Join(root, "still.go"), goFile("Stillness"))
	data := t.TempDir()
	r := up(t, data, root)
	r.shows("latest", "Stillness", "notes/still.go")

	// A file is dropped.
	write(t, filepath.Join(root, "a", "one.go"), goFile("Albatross"))
	r.shows(r.seen("notes", "a/one.go", holds(goFile("Albatross"))).String(), "Albatross", "notes/a/one.go")

	// It is edited: the new word comes and the old one goes.
	write(t, filepath.Join(root, "a", "one.go"), goFile("Buzzard"))
	token := r.seen("notes", "a/one.go", holds(goFile("Buzzard"))).String()
	r.shows(token, "Buzzard", "notes/a/one.go")
	r.shows(token, "Albatross", "")

	// It is renamed.
	if err := os.Rename(filepath.Join(root, "a", "one.go"), filepath.Join(root, "a", "two.go")); err != nil {
		t.Fatal(err)
	}
	r.seen("notes", "a/two.go", holds(goFile("Buzzard")))
	r.shows(r.seen("notes", "a/one.go", gone).String(), "Buzzard", "notes/a/two.go")

	// Its directory is moved, with another below it.
	write(t, filepath.Join(root, "a", "deep", "three.md"), "# Three\n\nA cormorant dives.\n")
	r.seen("notes", "a/deep/three.md", func(h contract.FileHead) bool { return h.Op == contract.OpPut })
	if err := os.Rename(filepath.Join(root, "a"), filepath.Join(root, "b")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []document.Path{"a/two.go", "a/deep/three.md"} {
		r.seen("notes", path, gone)
	}
	r.shows("latest", "Buzzard", "notes/b/two.go")
	r.shows("latest", "cormorant", "notes/b/deep/three.md")

	// The moved directory is still followed.
	write(t, filepath.Join(root, "b", "deep", "three.md"), "# Three\n\nA dunnock sings.\n")
	token = r.seen("notes", "b/deep/three.md", holds("# Three\n\nA dunnock sings.\n")).String()
	r.shows(token, "dunnock", "notes/b/deep/three.md")
	r.shows(token, "cormorant", "")

	// All of it is deleted.
	if err := os.RemoveAll(filepath.Join(root, "b")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []document.Path{"b/two.go", "b/deep/three.md"} {
		r.seen("notes", path, gone)
	}
	r.shows("latest", "Buzzard", "")
	r.shows("latest", "dunnock", "")
	r.shows("latest", "Stillness", "notes/still.go")

	r.stop()
	storesEqualLog(t, data)
}

// Two sources hold the same path with the same content.
func TestSourcesWithTheSamePath_AreToldApart(t *testing.T) {
	t.Parallel()
	first, second := folder(t, "first"), folder(t, "second")
	for _, root := range []string{first, second} {
		write(t, filepath.Join(root, "same.go"), goFile("Twinning"))
	}
	data := t.TempDir()
	r := up(t, data, first, second)
	if got := found(r.find("Twinning", "latest"), "Twinning"); len(got) != 2 {
		t.Errorf("found in %v, want both sources", got)
	}
	only := r.search(contract.SearchRequest{Query: "Twinning", Token: "latest", Filter: contract.Filter{Sources: []document.Source{"second"}}})
	if got := found(only, "Twinning"); len(got) != 1 || got[0] != "second/same.go" {
		t.Errorf("with a filter found in %v", got)
	}
	if err := os.Remove(filepath.Join(first, "same.go")); err != nil {
		t.Fatal(err)
	}
	r.shows(r.look(filepath.Join(first, "same.go")).String(), "Twinning", "second/same.go")
	write(t, filepath.Join(first, "same.go"), goFile("Singular"))
	token := r.look(filepath.Join(first, "same.go")).String()
	r.shows(token, "Twinning", "second/same.go")
	r.shows(token, "Singular", "first/same.go")
	r.stop()
	storesEqualLog(t, data)

	// A source that is not given this time is left out of answers.
	r = up(t, data, second)
	r.shows("latest", "Singular", "")
	asked := r.search(contract.SearchRequest{Query: "Singular", Token: "latest", Filter: contract.Filter{Sources: []document.Source{"first"}}})
	if got := found(asked, "Singular"); len(got) != 1 {
		t.Errorf("asked for by name, the source that is not watched shows %v", got)
	}
}
