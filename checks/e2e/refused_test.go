package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// blocked puts a file where the stores of a build are to be.
func blocked(t *testing.T, data string, b contract.Build) (file string) {
	t.Helper()
	file = filepath.Join(data, "stores", string(b.Generation(document.CollectionDocs)))
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The stores of what is configured, or of an index that is made again, cannot be opened.
// Who asked for it is told, what answers goes on as if nobody had, and it can be asked for
// once more.
func TestStoresThatCannotBeOpened_LeaveWhatAnswers(t *testing.T) {
	t.Parallel()
	const n = 10
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	notes(t, dir, n)
	var f file
	r := upWith(t, data, f.editable, dir)
	first := *r.status().Serving
	holds := func(word string) {
		t.Helper()
		file := filepath.Join(dir, word+".md")
		write(t, file, "# Notes\n\nAbout "+word+" and what it eats.\n")
		r.shows(r.look(file).String(), word, "animals/"+word+".md")
		if st := r.status(); st.Serving.ID() != first.ID() || st.Next != nil {
			t.Errorf("%+v answers, %+v is built", st.Serving, st.Next)
		}
	}

	f.edit(func(c *config.Config) { c.Chunker.Target++ })
	told := r.reload(contract.ReloadTell)
	next := first
	next.Target++
	in := blocked(t, data, next)
	if next.ID() != told.Build {
		t.Fatalf("%+v is not %s", next, told.Build)
	}
	for range 2 {
		r.noReload(document.Conflict, in)
		holds("Walruses")
	}
	if err := os.Remove(in); err != nil {
		t.Fatal(err)
	}
	f.edit(func(c *config.Config) { c.Chunker.Target-- })

	in = blocked(t, data, first.Rebuilt(1, nil))
	r.reindex(contract.ReindexBegin)
	for {
		record, err := (bus.Reindexing{Bus: r.bus}).Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if record.Last == 1 && record.Back == nil && record.Makes(first) {
			break
		}
	}
	holds("Narwhals")
	if err := os.Remove(in); err != nil {
		t.Fatal(err)
	}
	r.reindex(contract.ReindexBegin)
	r.again(2, func() {})

	f.edit(func(c *config.Config) { c.Chunker.Target++ })
	told = r.reload(contract.ReloadBegin)
	r.takes(func() {}, func(b contract.Build) bool { return b.ID() == told.Build })
	r.equal()
	r.stop()
	storesEqualLog(t, data)
}

// Somebody asks for the same once more while it is being built, and goes back at once.
func TestReloadWhileTheSameIsBuilt_IsTakenOver(t *testing.T) {
	t.Parallel()
	const n = 30
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	notes(t, dir, n)
	var f file
	r := upWith(t, data, f.editable, dir)
	first := *r.status().Serving
	asked := askEditAll(r, dir, n)
	f.edit(func(c *config.Config) { c.Chunker.Target++ })
	asked.during(func() {
		told := r.reload(contract.ReloadBegin)
		if again := r.reload(contract.ReloadBegin); again.Build != told.Build {
			t.Errorf("begun is %s, then %s", told.Build, again.Build)
		}
		f.edit(func(c *config.Config) { c.Embedder.Workers++ })
		if again := r.reload(contract.ReloadBegin); again.Build != told.Build || len(again.Taken) != 1 {
			t.Errorf("of the same it is told %+v", again)
		}
		f.edit(func(c *config.Config) { c.Chunker.Target-- })
		if back := r.reload(contract.ReloadBegin); back.Build != first.ID() {
			t.Errorf("going back is told as %+v", back)
		}
	})
	r.takes(asked.round, func(b contract.Build) bool { return b.ID() == first.ID() })
	asked.rounds(n)
	asked.end()
	r.equal()
	r.stop()
	storesEqualLog(t, data)
}
