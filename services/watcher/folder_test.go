package watcher_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/watcher"
)

const wt = document.Worktree

func TestEdits_AreSeenLive(t *testing.T) {
	root := folder(t, "notes")
	write(t, filepath.Join(root, "a.md"), "one")
	r := startRig(t, watching(root))
	r.expect("notes", wt, map[string]string{"a.md": "one"})
	nudges, err := r.bus.Conn().SubscribeSync(contract.NudgeSubject(contract.StageChunker))
	must(t, err)
	must(t, r.bus.Conn().Flush())
	write(t, filepath.Join(root, "a.md"), "two")
	r.expect("notes", wt, map[string]string{"a.md": "two"})
	if h := r.heads("notes", wt)["a.md"]; !h.Live || h.Collection != document.CollectionDocs {
		t.Errorf("%+v", h)
	}
	m, err := nudges.NextMsgWithContext(t.Context())
	must(t, err)
	if want := contract.FileSubject("notes", document.DocOf("a.md"), wt); string(m.Data) != want {
		t.Errorf("nudged %s, want %s", m.Data, want)
	}
	write(t, filepath.Join(root, "new/deep/b.go"), "package b")
	r.expect("notes", wt, map[string]string{"a.md": "two", "new/deep/b.go": "package b"})
	write(t, filepath.Join(root, "new/deep/b.go"), "package bb")
	r.expect("notes", wt, map[string]string{"a.md": "two", "new/deep/b.go": "package bb"})
	must(t, os.Rename(filepath.Join(root, "a.md"), filepath.Join(root, "c.md")))
	r.expect("notes", wt, map[string]string{"c.md": "two", "new/deep/b.go": "package bb"})
	must(t, os.Remove(filepath.Join(root, "c.md")))
	r.expect("notes", wt, map[string]string{"new/deep/b.go": "package bb"})
	must(t, os.RemoveAll(filepath.Join(root, "new")))
	r.expect("notes", wt, map[string]string{})
}

func TestMovedDirectory_IsAlwaysInOnePlace(t *testing.T) {
	root := folder(t, "moves")
	want := map[string]string{}
	for i := range 40 {
		write(t, filepath.Join(root, fmt.Sprintf("old/sub%d/f%02d.go", i%3, i)), fmt.Sprintf("package f%d", i))
		want[fmt.Sprintf("new/sub%d/f%02d.go", i%3, i)] = fmt.Sprintf("package f%d", i)
	}
	r := startRig(t, watching(root))
	before := r.lastSeq()
	must(t, os.Rename(filepath.Join(root, "old"), filepath.Join(root, "new")))
	r.expect("moves", wt, want)
	var lastPut, firstDelete document.Version
	for path, h := range r.heads("moves", wt) {
		switch {
		case uint64(h.Version) <= before:
			t.Errorf("%s was not written again", path)
		case h.Op == contract.OpPut:
			lastPut = max(lastPut, h.Version)
		case firstDelete == 0 || h.Version < firstDelete:
			firstDelete = h.Version
		}
	}
	if firstDelete < lastPut {
		t.Errorf("a delete (%d) was written before a put (%d)", firstDelete, lastPut)
	}
	// Watches have to follow the new name, at every depth.
	write(t, filepath.Join(root, "new/sub1/f01.go"), "package edited")
	want["new/sub1/f01.go"] = "package edited"
	r.expect("moves", wt, want)
	must(t, os.Rename(filepath.Join(root, "new/sub1"), filepath.Join(root, "sub1")))
	for path, text := range want {
		if rest, ok := strings.CutPrefix(path, "new/sub1/"); ok {
			delete(want, path)
			want["sub1/"+rest] = text
		}
	}
	r.expect("moves", wt, want)
	write(t, filepath.Join(root, "sub1/f04.go"), "package again")
	want["sub1/f04.go"] = "package again"
	r.expect("moves", wt, want)
}

func TestRenamedFile_IsAlwaysInOnePlace(t *testing.T) {
	root := folder(t, "names")
	want := map[string]string{}
	for i := range 60 {
		text := fmt.Sprint("text ", i)
		write(t, filepath.Join(root, fmt.Sprintf("old%02d.md", i)), text)
		want[fmt.Sprintf("new%02d.md", i)] = text
	}
	r := startRig(t, watching(root))
	for i := range 60 {
		must(t, os.Rename(filepath.Join(root, fmt.Sprintf("old%02d.md", i)), filepath.Join(root, fmt.Sprintf("new%02d.md", i))))
	}
	r.expect("names", wt, want)
	heads := r.heads("names", wt)
	for i := range 60 {
		put, gone := heads[fmt.Sprintf("new%02d.md", i)], heads[fmt.Sprintf("old%02d.md", i)]
		if gone.Op != contract.OpDelete || gone.Version < put.Version {
			t.Errorf("%s was deleted (%d) before %s was written (%d)", gone.Path, gone.Version, put.Path, put.Version)
		}
	}
}

func TestFileAndDirectoryTakeEachOthersPlace_BothAreRight(t *testing.T) {
	root := folder(t, "swap")
	write(t, filepath.Join(root, "a.md"), "file")
	write(t, filepath.Join(root, "d/x.md"), "x")
	r := startRig(t, watching(root))
	must(t, os.Remove(filepath.Join(root, "a.md")))
	write(t, filepath.Join(root, "a.md/inner.md"), "inner")
	r.expect("swap", wt, map[string]string{"a.md/inner.md": "inner", "d/x.md": "x"})
	must(t, os.Rename(filepath.Join(root, "d"), filepath.Join(t.TempDir(), "away")))
	write(t, filepath.Join(root, "d"), "a file now")
	r.expect("swap", wt, map[string]string{"a.md/inner.md": "inner", "d": "a file now"})
	// A link to a directory with the same names must not keep the documents.
	outside := t.TempDir()
	write(t, filepath.Join(outside, "inner.md"), "inner")
	must(t, os.RemoveAll(filepath.Join(root, "a.md")))
	must(t, os.Symlink(outside, filepath.Join(root, "a.md")))
	r.expect("swap", wt, map[string]string{"d": "a file now"})
	eventually(t, func() error { // the link may be seen after its folder's end
		if h := r.heads("swap", wt)["a.md"]; h.Reason != "symbolic link" {
			return fmt.Errorf("%+v", h)
		}
		return nil
	})
}

func TestRestart_PublishesTheDifferencesAlone(t *testing.T) {
	root := folder(t, "again")
	for i := range 300 {
		write(t, filepath.Join(root, fmt.Sprintf("d%d/f%03d.go", i%7, i)), fmt.Sprintf("package f%d", i))
	}
	write(t, filepath.Join(root, "bin"), "a\x00b")
	r := startRig(t, watching(root))
	r.stop()
	before := r.lastSeq()
	r.start()
	if n := r.lastSeq() - before; n != 0 {
		t.Errorf("an unchanged restart published %d messages", n)
	}
	r.stop()
	write(t, filepath.Join(root, "d1/f001.go"), "package changed")
	write(t, filepath.Join(root, "d9/new.go"), "package new")
	must(t, os.Remove(filepath.Join(root, "d2/f002.go")))
	now := time.Now()
	must(t, os.Chtimes(filepath.Join(root, "d3/f003.go"), now, now.Add(-time.Hour))) // touched, not changed
	r.start()
	changed := map[string]contract.Op{}
	for path, h := range r.heads("again", wt) {
		if uint64(h.Version) > before {
			changed[path] = h.Op
		}
	}
	if want := map[string]contract.Op{"d1/f001.go": "put", "d9/new.go": "put", "d2/f002.go": "delete"}; fmt.Sprint(changed) != fmt.Sprint(want) {
		t.Errorf("published %v, want %v", changed, want)
	}
	if n := r.lastSeq() - before; n != 4 {
		t.Errorf("%d messages, want three changes and the marker", n)
	}
	r.stop()
	// A root that is not given is kept, and listed as not watched.
	r.cfg.Roots = nil
	r.start()
	if got := r.sources()["again"]; got.Watched || got.Documents != 300 || got.Skipped != 1 {
		t.Errorf("%+v", got)
	}
}

func TestOddFiles_AreTakenOrSkippedWithAReason(t *testing.T) {
	root := folder(t, "odd")
	names := []string{"line\nfeed.md", "-rf", "100%.md", "bad\xffutf8.md", "ümlaut.md", "sp ace.md", "%41.md", "a*b?.md", " lead"}
	want := map[string]string{}
	for _, n := range names {
		path := string(document.EncodePath(n))
		write(t, filepath.Join(root, n), "text of "+path)
		want[path] = "text of " + path
	}
	write(t, filepath.Join(root, "empty.md"), "")
	want["empty.md"] = ""
	must(t, os.Symlink(".", filepath.Join(root, "loop")))
	must(t, os.Symlink("nowhere", filepath.Join(root, "dangling")))
	must(t, os.Symlink("/etc/hostname", filepath.Join(root, "outside")))
	must(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644))
	write(t, filepath.Join(root, "nul.txt"), "a\x00b")
	write(t, filepath.Join(root, "large.txt"), strings.Repeat("x", 2<<20))
	write(t, filepath.Join(root, "key.pem"), "-----BEGIN PRIVATE KEY-----\n")
	write(t, filepath.Join(root, ".npmrc"), "token")
	write(t, filepath.Join(root, "node_modules/x/index.js"), "x")
	write(t, filepath.Join(root, "app.js.map"), "{}")
	state := filepath.Join(root, "state")
	write(t, filepath.Join(state, "log.txt"), "x")
	r := startRig(t, with(watching(root), func(c *watcher.Config) { c.StateDir = state }))
	r.expect("odd", wt, want)
	reasons := map[string]string{}
	for path, h := range r.heads("odd", wt) {
		if h.Op == contract.OpSkipped {
			reasons[path] = h.Reason
		}
	}
	wantReasons := map[string]string{
		"loop": "symbolic link", "dangling": "symbolic link", "outside": "symbolic link", "pipe": "named pipe",
		"nul.txt": "binary", "large.txt": "too large: more than 1048576 bytes", "key.pem": "secret: private key",
		".npmrc": "secret: .npmrc", "app.js.map": "source map",
	}
	if fmt.Sprint(reasons) != fmt.Sprint(wantReasons) {
		t.Errorf("skipped %v\nwant %v", reasons, wantReasons)
	}
	rep, err := rpc.Call[struct{}, contract.Report](t.Context(), r.bus.Conn(), contract.SubjectReport, struct{}{})
	must(t, err)
	if rep.Counters["skipped: symbolic link"] != 3 || rep.Counters["published"] != uint64(len(want)+len(wantReasons)) {
		t.Errorf("%+v", rep.Counters)
	}
	// A file that loses its reason is indexed; one that gets one is not.
	write(t, filepath.Join(root, "nul.txt"), "text")
	write(t, filepath.Join(root, "100%.md"), "a\x00")
	want["nul.txt"] = "text"
	delete(want, "100%25.md")
	r.expect("odd", wt, want)
	for i := range names {
		if i%2 == 0 {
			must(t, os.Remove(filepath.Join(root, names[i])))
			delete(want, string(document.EncodePath(names[i])))
		}
	}
	r.expect("odd", wt, want)
}

func TestRootIsGone_IndexIsKept(t *testing.T) {
	root := folder(t, "disk")
	write(t, filepath.Join(root, "a.md"), "kept")
	r := startRig(t, watching(root))
	away := root + "-away"
	must(t, os.Rename(root, away))
	eventually(t, func() error {
		if s := r.sources()["disk"]; len(s.Degraded) == 0 {
			return fmt.Errorf("not degraded: %+v", s)
		}
		return nil
	})
	r.expect("disk", wt, map[string]string{"a.md": "kept"})
	must(t, os.Rename(away, root))
	write(t, filepath.Join(root, "b.md"), "back")
	r.expect("disk", wt, map[string]string{"a.md": "kept", "b.md": "back"})
	eventually(t, func() error {
		if s := r.sources()["disk"]; len(s.Degraded) != 0 {
			return fmt.Errorf("still degraded: %+v", s.Degraded)
		}
		return nil
	})
	write(t, filepath.Join(root, "b.md"), "watched again")
	r.expect("disk", wt, map[string]string{"a.md": "kept", "b.md": "watched again"})
}

func TestNoWatchIsLeft_EditsAreFoundByPolling(t *testing.T) {
	root := folder(t, "many")
	for i := range 6 {
		write(t, filepath.Join(root, fmt.Sprintf("d%d/e/f.md", i)), "x")
	}
	r := startRig(t, with(watching(root), func(c *watcher.Config) { c.MaxWatches, c.Poll = 4, 20*time.Millisecond }))
	if d := r.sources()["many"].Degraded; len(d) != 1 || !strings.Contains(d[0], "max_watches") {
		t.Errorf("degraded: %q", d)
	}
	want := map[string]string{}
	for i := range 6 {
		path := fmt.Sprintf("d%d/e/f.md", i)
		want[path] = fmt.Sprint("edit", i)
		write(t, filepath.Join(root, path), want[path])
	}
	r.expect("many", wt, want)
}
