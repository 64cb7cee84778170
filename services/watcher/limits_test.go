package watcher_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher"
)

// fill writes files into a folder.
func fill(t *testing.T, dir string, n int) map[string]string {
	t.Helper()
	out := map[string]string{}
	for i := range n {
		name := fmt.Sprintf("f%02d.md", i)
		out[name] = "text of " + name
		write(t, filepath.Join(dir, name), out[name])
	}
	return out
}

func TestSourceAboveTheLimit_IsHeld(t *testing.T) {
	big, small := folder(t, "big"), folder(t, "small")
	all := fill(t, big, 4)
	few := fill(t, small, 2)
	r := startRig(t, with(watching(big, small), func(c *watcher.Config) { c.Limits.Files = 3 }))
	r.expect("small", wt, few)
	nothing := func() {
		t.Helper()
		if h := r.heads("big", wt); len(h) > 0 {
			t.Errorf("published of a source that is held: %v", keys(h))
		}
		if i := r.sources()["big"]; !strings.Contains(i.Held, "4 files") || !strings.Contains(fmt.Sprint(document.ActionsAbout(i.Held, i.Actions)), "source_accept path="+big) || !i.Watched {
			t.Errorf("%+v", i)
		}
	}
	nothing()
	if x := r.explainPath(filepath.Join(big, "f00.md")); x.Verdict != contract.VerdictChanged || !strings.Contains(x.Summary, "larger than the limits") {
		t.Errorf("%+v", x)
	}
	// Nothing gets past it: no event, no announcement, no rescan, no restart.
	for _, req := range []contract.Announce{{Paths: []string{filepath.Join(big, "f00.md")}}, {Paths: []string{big}}} {
		if _, err := call[contract.Announce, contract.AnnounceReply](r, contract.SubjectAnnounce, req); document.KindOf(err) != document.TooLarge {
			t.Errorf("%+v: %v", req, err)
		}
	}
	write(t, filepath.Join(big, "f00.md"), "edited")
	write(t, filepath.Join(small, "f00.md"), "edited")
	all["f00.md"], few["f00.md"] = "edited", "edited"
	r.expect("small", wt, few)
	r.announce(contract.Announce{})
	nothing()
	r.stop()
	r.start()
	nothing()
	if _, err := r.add(contract.SourceAdd{Root: big}); document.KindOf(err) != document.TooLarge {
		t.Errorf("added again without a word: %v", err)
	}
	nothing()

	// Accepted it is published, and stays so after a restart.
	_, err := r.add(contract.SourceAdd{Root: big, Accept: true})
	must(t, err)
	r.expect("big", wt, all)
	if i := r.sources()["big"]; i.Held != "" || i.Scanned.IsZero() {
		t.Errorf("%+v", i)
	}
	r.stop()
	must(t, os.Remove(filepath.Join(big, "f01.md")))
	delete(all, "f01.md")
	all["g.md"] = "new"
	write(t, filepath.Join(big, "g.md"), "new")
	r.start()
	r.expect("big", wt, all)

	// What is removed is forgotten, with its acceptance.
	_, err = call[contract.SourceRemove, contract.SourceList](r, contract.SubjectSourcesRemove, contract.SourceRemove{Source: "big"})
	must(t, err)
	if _, err := r.add(contract.SourceAdd{Root: big}); document.KindOf(err) != document.TooLarge {
		t.Errorf("the acceptance outlives the source: %v", err)
	}
	if _, there := r.sources()["big"]; there {
		t.Error("a source that was refused is listed")
	}
	if _, err := r.add(contract.SourceAdd{Root: big, Once: true}); document.KindOf(err) != document.TooLarge {
		t.Errorf("once: %v", err)
	}
	_, err = r.add(contract.SourceAdd{Root: big, Once: true, Accept: true})
	must(t, err)
	r.expect("big", wt, all)
}

func TestBytes_AreLimited(t *testing.T) {
	root := folder(t, "root")
	write(t, filepath.Join(root, "a.md"), strings.Repeat("word ", 300))
	r := startRig(t, with(watching(), func(c *watcher.Config) { c.Limits.Bytes = 1024 }))
	if _, err := r.add(contract.SourceAdd{Root: root}); document.KindOf(err) != document.TooLarge || !strings.Contains(err.Error(), "1,500 bytes") {
		t.Errorf("%v", err)
	}
}

// Pictures are no documents; what a rule leaves out is none either.
func TestWhatIsNotIndexed_DoesNotCount(t *testing.T) {
	root := folder(t, "root")
	want := fill(t, root, 2)
	for i := range 9 {
		write(t, filepath.Join(root, fmt.Sprintf("p%d.png", i)), "\x89PNG\r\n\x1a\n")
		write(t, filepath.Join(root, "drafts", fmt.Sprintf("d%d.md", i)), "draft")
	}
	r := startRig(t, with(watching(root), func(c *watcher.Config) { c.Limits.Files = 3 }))
	if i := r.sources()["root"]; i.Held == "" {
		t.Fatalf("%+v", i)
	}
	// A line in the root is seen without being told.
	write(t, filepath.Join(root, ".freshetignore"), "drafts/\n")
	want[".freshetignore"] = "drafts/\n"
	r.expect("root", wt, want)
	if i := r.sources()["root"]; i.Held != "" || i.Skipped != 9 {
		t.Errorf("%+v", i)
	}
}

func TestGrowthAboveTheLimit_IsToldAndSkipped(t *testing.T) {
	root := folder(t, "root")
	want := fill(t, filepath.Join(root, "d"), 3)
	for name, text := range want {
		delete(want, name)
		want["d/"+name] = text
	}
	r := startRig(t, with(watching(root), func(c *watcher.Config) { c.Limits.Files = 3 }))
	r.expect("root", wt, want)
	grown := func(path string) contract.FileHead { return r.heads("root", wt)[path] }

	write(t, filepath.Join(root, "new.md"), "new")
	r.announce(contract.Announce{Paths: []string{filepath.Join(root, "new.md")}})
	if h := grown("new.md"); h.Op != contract.OpSkipped || h.Reason != "over limit" {
		t.Errorf("%+v", h)
	}
	if x := r.explainPath(filepath.Join(root, "new.md")); x.Verdict != contract.VerdictSkipped || x.Reason != "over limit" || !x.InStep {
		t.Errorf("%+v", x)
	}
	i := r.sources()["root"]
	if said := strings.Join(i.Degraded, "\n"); i.Skipped != 1 || !strings.Contains(said, "1 new files are left out") || !strings.Contains(fmt.Sprint(document.ActionsAbout(said, i.Actions)), "source_accept path="+root) {
		t.Errorf("%+v", i)
	}
	// It says so once; the marker comes with the first whole comparison.
	r.announce(contract.Announce{Paths: []string{root}})
	before := r.lastSeq()
	r.announce(contract.Announce{Paths: []string{root}})
	if r.lastSeq() != before {
		t.Errorf("%d messages more", r.lastSeq()-before)
	}
	// What is known goes on.
	want["d/f00.md"] = "edited"
	write(t, filepath.Join(root, "d", "f00.md"), "edited")
	r.expect("root", wt, want)

	// A folder that is renamed is new before it is gone.
	must(t, os.Rename(filepath.Join(root, "d"), filepath.Join(root, "e")))
	r.announce(contract.Announce{Paths: []string{root}})
	moved := 0
	for path, h := range r.heads("root", wt) {
		if h.Op == contract.OpPut && (strings.HasPrefix(path, "e/") || path == "new.md") {
			moved++
		}
	}
	if moved != 3 {
		t.Errorf("%d documents after a rename, there is room for 3", moved)
	}

	// A restart neither drops what is there nor forgets what is left out.
	r.stop()
	r.start()
	if i := r.sources()["root"]; i.Documents != 3 || i.Skipped != 1 || i.Held != "" {
		t.Errorf("%+v", i)
	}
	_, err := r.add(contract.SourceAdd{Root: root, Accept: true})
	must(t, err)
	if i := r.sources()["root"]; i.Documents != 4 || i.Skipped != 0 || len(i.Degraded) > 0 {
		t.Errorf("%+v", i)
	}
}

func TestBranchAboveTheLimit_IsHeld(t *testing.T) {
	isolateGit(t)
	work := folder(t, "work")
	git(t, work, "init", "-q")
	want := fill(t, work, 4)
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "one")
	bare := filepath.Join(filepath.Dir(work), "bare.git")
	git(t, work, "clone", "-q", "--bare", ".", bare)
	r := startRig(t, with(watching(bare), func(c *watcher.Config) { c.Limits.Files = 3 }))
	if i := r.sources()["bare"]; !strings.Contains(i.Held, "4 files") || i.Branch != "main" || len(r.heads("bare", "main")) > 0 {
		t.Errorf("%+v", i)
	}
	_, err := r.add(contract.SourceAdd{Root: bare, Accept: true})
	must(t, err)
	r.expect("bare", "main", want)
}
