package scan

import (
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// disk is a Disk that counts what it reads.
func countingDisk(root string) *Disk {
	d := newDisk(root)
	d.Systems, d.Linked, d.Reads = &Systems{}, &Links{}, &atomic.Uint64{}
	return d
}

// age waits until the last change of every file is long enough ago to be told
// from the next one. Nobody can set that time.
func age(t *testing.T, files ...string) {
	t.Helper()
	for _, file := range files {
		var f Finding
		info, err := os.Lstat(file)
		must(t, err)
		f.stat(info)
		time.Sleep(time.Until(f.Changed.Add(racy + time.Millisecond)))
	}
}

// expectLook looks at a file and says whether it had to be read.
func expectLook(t *testing.T, d *Disk, what, raw string, known contract.FileHead, kind Kind, reads uint64) Finding {
	t.Helper()
	before := d.Reads.Load()
	f := look(t, d, raw, known)
	if n := d.Reads.Load() - before; f.Kind != kind || n != reads {
		t.Errorf("%s: kind %d after %d reads, want %d after %d", what, f.Kind, n, kind, reads)
	}
	return f
}

func TestUnchangedFiles_AreNotRead(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := func(name string) string { return filepath.Join(root, name) }
	old := time.Now().Add(-time.Hour)
	put := func(name, content string) {
		must(t, os.WriteFile(path(name), []byte(content), 0o644))
		must(t, os.Chtimes(path(name), old, old))
	}
	for _, name := range []string{"same.go", "edited.go", "mode.go"} {
		put(name, "package a")
	}
	put("binary.go", "a\x00b")
	d := countingDisk(root)
	if f := expectLook(t, d, "fresh", "same.go", contract.FileHead{}, Put, 1); !f.Changed.IsZero() {
		t.Errorf("a change time that may come again is kept: %v", f.Changed)
	}
	age(t, path("same.go"), path("edited.go"), path("mode.go"), path("binary.go"))
	known := map[string]contract.FileHead{}
	for _, name := range []string{"same.go", "edited.go", "mode.go"} {
		f := expectLook(t, d, "new", name, contract.FileHead{}, Put, 1)
		if f.Changed.IsZero() {
			t.Errorf("%s has no change time", name)
		}
		known[name] = f.head()
	}
	known["binary.go"] = expectLook(t, d, "new", "binary.go", contract.FileHead{}, Skip, 1).head()
	for name, h := range known {
		expectLook(t, d, "unchanged", name, h, Same, 0)
	}
	without := known["same.go"]
	without.Changed = time.Time{}
	expectLook(t, d, "a head without a change time", "same.go", without, Same, 1)
	expectLook(t, d, "the same again", "same.go", without, Same, 0)
	before := d.Reads.Load()
	if f, err := d.Look(t.Context(), Candidate{Raw: "same.go", Named: true}, known["same.go"], nil); err != nil || f.Kind != Same || d.Reads.Load() != before+1 {
		t.Errorf("a file that somebody named was not read: %+v, %v", f, err)
	}
	// Another content behind the same size, time and inode.
	put("edited.go", "package b")
	expectLook(t, d, "edited", "edited.go", known["edited.go"], Put, 1)
	// Another mode: read until its change is long enough ago, then remembered.
	must(t, os.Chmod(path("mode.go"), 0o600))
	expectLook(t, d, "another mode", "mode.go", known["mode.go"], Same, 1)
	expectLook(t, d, "another mode", "mode.go", known["mode.go"], Same, 1)
	age(t, path("mode.go"))
	expectLook(t, d, "another mode", "mode.go", known["mode.go"], Same, 1)
	expectLook(t, d, "remembered", "mode.go", known["mode.go"], Same, 0)
	put("mode.go", "package c")
	expectLook(t, d, "edited after that", "mode.go", known["mode.go"], Put, 1)
	d.Always = true
	expectLook(t, d, "verification", "same.go", known["same.go"], Same, 1)
}

func TestTimesOfANetworkFileSystem_AreNotTrusted(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := filepath.Join(root, "a.go")
	must(t, os.WriteFile(file, []byte("package a"), 0o644))
	age(t, file)
	d := countingDisk(root)
	f := look(t, d, "a.go", contract.FileHead{})
	d.Systems.known = map[uint64]bool{f.Device: false}
	expectLook(t, d, "a comparison", "a.go", f.head(), Same, 1)
	expectLook(t, d, "the next one", "a.go", f.head(), Same, 1)
	d.Trusting = true
	expectLook(t, d, "polled", "a.go", f.head(), Same, 0)
}

func TestNamesOfAFile_AreKeptWhileItHasSeveral(t *testing.T) {
	root := t.TempDir()
	path := func(name string) string { return filepath.Join(root, name) }
	must(t, os.WriteFile(path("a"), []byte("text"), 0o644))
	d := countingDisk(root)
	names := func(id ID) []string {
		out := d.Linked.Of(id)
		slices.Sort(out)
		return out
	}
	f := look(t, d, "a", contract.FileHead{})
	if got := names(f.ID); got != nil {
		t.Errorf("a file of one name is kept: %q", got)
	}
	must(t, os.Link(path("a"), path("b")))
	must(t, os.Link(path("a"), path("c")))
	look(t, d, "b", contract.FileHead{})
	look(t, d, "c", contract.FileHead{})
	if got := names(f.ID); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("names %q", got)
	}
	if got := d.Linked.Seek([]ID{f.ID, {}}); !slices.Equal(got, []ID{f.ID}) {
		t.Errorf("to be sought: %v", got)
	}
	if got := d.Linked.Seek([]ID{f.ID}); got != nil {
		t.Errorf("sought twice: %v", got)
	}
	d.Linked.Look(root, "a")
	must(t, os.Remove(path("b")))
	look(t, d, "b", contract.FileHead{})
	must(t, os.WriteFile(path("new"), []byte("text"), 0o644))
	must(t, os.Rename(path("new"), path("c")))
	look(t, d, "c", contract.FileHead{})
	if got := names(f.ID); !slices.Equal(got, []string{"a"}) {
		t.Errorf("names %q", got)
	}
	look(t, d, "a", contract.FileHead{})
	if len(d.Linked.ids)+len(d.Linked.names)+len(d.Linked.sought) != 0 {
		t.Errorf("left: %v %v %v", d.Linked.ids, d.Linked.names, d.Linked.sought)
	}
}
