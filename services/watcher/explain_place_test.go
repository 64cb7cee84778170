package watcher_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher"
)

func TestPathOutside_IsExplained(t *testing.T) {
	isolateGit(t)
	root := folder(t, "in")
	write(t, filepath.Join(root, "a.md"), "text")
	other := folder(t, "it's out")
	git(t, other, "init", "-q")
	write(t, filepath.Join(other, "d/b.md"), "text")
	r := startRig(t, watching(root))
	e := r.explainPath(filepath.Join(other, "d/b.md"))
	if want := (document.Action{Do: document.DoSourceAdd, Path: document.EncodePath(other)}); e.Verdict != contract.VerdictUnwatched || e.Source != nil || !slices.Contains(e.Actions, want) {
		t.Errorf("%+v lacks %s", e, want)
	}
	if e = r.explainPath("/no/such/thing"); e.Verdict != contract.VerdictUnwatched || e.Type != "nothing" || !strings.Contains(e.Summary, "does not exist") {
		t.Errorf("%+v", e)
	}
	// A link to the root is the root.
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(root, link))
	if e = r.explainPath(filepath.Join(link, "a.md")); e.Verdict != contract.VerdictLogged || e.Document != "a.md" {
		t.Errorf("%+v", e)
	}
	for path, source := range map[string]document.Source{"relative": "", "../in/a.md": "in", "a.md": "unknown"} {
		_, err := client.ExplainFile.Ask(t.Context(), r.bus.Conn(), contract.ExplainFile{Path: path, Source: source})
		if kind := document.KindOf(err); kind != document.InvalidRequest && kind != document.NotFound {
			t.Errorf("%s of %q: %v", path, source, err)
		}
	}
	// What is registered and not given this time is told apart.
	r.stop()
	r.cfg.Roots = []string{other}
	r.start()
	e = r.explainPath(filepath.Join(root, "a.md"))
	if e.Verdict != contract.VerdictUnwatched || e.Source == nil || e.Source.Source != "in" || e.Log == nil || !strings.Contains(fmt.Sprint(e.Actions), "search_source source=in") {
		t.Errorf("%+v", e)
	}
}

func TestOddName_IsExplained(t *testing.T) {
	root := folder(t, "odd")
	names := []string{"a\nb.md", "caf\xe9.md", "100%.md", "a%20b.md", "-rf.md", " lead.md", "trail.md ", "q'u\"ote.md", "ünïcode.md", strings.Repeat("n", 250) + ".md"}
	for _, n := range names {
		write(t, filepath.Join(root, n), "text")
	}
	l, err := net.Listen("unix", filepath.Join(root, "s"))
	must(t, err)
	defer l.Close()
	r := startRig(t, watching(root))
	for _, n := range names {
		if e := r.explainPath(filepath.Join(root, n)); e.Verdict != contract.VerdictLogged || e.Document != document.EncodePath(n) {
			t.Errorf("%q: %+v", n, e)
		}
	}
	if e := r.explainPath(filepath.Join(root, "100%.md")); !e.InStep {
		t.Errorf("%+v", e)
	}
	// As it was typed, where it is in no encoded form.
	if e := r.explain(contract.ExplainFile{Path: filepath.Join(root, "100%.md")}); e.Verdict != contract.VerdictLogged {
		t.Errorf("%+v", e)
	}
	if e := r.explainPath(filepath.Join(root, "s")); e.Reason != "socket" {
		t.Errorf("%+v", e)
	}
	if e := r.explainPath(filepath.Join(root, strings.Repeat("x", 300))); e.Verdict != contract.VerdictMissing {
		t.Errorf("%+v", e)
	}
}

func TestTreeOfABareRepository_IsExplained(t *testing.T) {
	isolateGit(t)
	work := folder(t, "work")
	git(t, work, "init", "-q")
	write(t, filepath.Join(work, ".gitignore"), "*.log\n")
	write(t, filepath.Join(work, ".freshetignore"), "drafts/\n")
	write(t, filepath.Join(work, "src/a.go"), "package a\n")
	write(t, filepath.Join(work, "x.log"), "tracked all the same")
	write(t, filepath.Join(work, "drafts/d.md"), "x")
	write(t, filepath.Join(work, "i.png"), "\x89PNG\r\n\x1a\n\x00")
	must(t, os.Symlink("src/a.go", filepath.Join(work, "link.go")))
	git(t, work, "add", "-f", ".")
	git(t, work, "commit", "-q", "-m", "one")
	bare := filepath.Join(filepath.Dir(work), "bare.git")
	git(t, work, "clone", "-q", "--bare", ".", bare)
	r := startRig(t, watching(bare))
	for path, want := range map[string]contract.Verdict{
		"src/a.go": contract.VerdictLogged, "x.log": contract.VerdictLogged, "drafts/d.md": contract.VerdictIgnored,
		"i.png": contract.VerdictSkipped, "link.go": contract.VerdictSkipped, "no.go": contract.VerdictMissing, "src": contract.VerdictFolder, "": contract.VerdictFolder,
	} {
		e := r.explain(contract.ExplainFile{Source: "bare", Path: path})
		if e.Verdict != want || !e.InStep {
			t.Errorf("%s: %+v, want %s", path, e, want)
		}
		if path == "drafts/d.md" && (e.Rule.File != ".freshetignore" || e.Rule.Matched != "drafts") {
			t.Errorf("%+v", e.Rule)
		}
	}
	reasons := []string{}
	for _, g := range r.explain(contract.ExplainFile{Source: "bare"}).Folder {
		reasons = append(reasons, fmt.Sprintf("%s %d", g.Verdict, g.Count))
	}
	if slices.Sort(reasons); strings.Join(reasons, ", ") != "ignored 1, logged 4, skipped 1, skipped 1" {
		t.Errorf("%v", reasons)
	}
}

// A folder that is away is no folder of deleted files.
func TestRootThatIsAway_IsExplained(t *testing.T) {
	root := folder(t, "usb")
	write(t, filepath.Join(root, "a.md"), "text")
	r := startRig(t, watching(root))
	must(t, os.Rename(root, root+".away"))
	for _, path := range []string{root, filepath.Join(root, "a.md"), filepath.Join(root, "no.md")} {
		if e := r.explainPath(path); e.Verdict != contract.VerdictUnreadable || !strings.Contains(e.Summary, "mount or restore it") {
			t.Errorf("%s: %+v", path, e)
		}
	}
	must(t, os.Rename(root+".away", root))
	if e := r.explainPath(filepath.Join(root, "a.md")); e.Verdict != contract.VerdictLogged {
		t.Errorf("%+v", e)
	}
}

// A source that is held, and a file for which there was no room, wait for an
// answer, not for the watcher.
func TestLimit_IsExplained(t *testing.T) {
	root := folder(t, "full")
	for i := range 5 {
		write(t, filepath.Join(root, fmt.Sprintf("%d.md", i)), "text")
	}
	cfg := with(watching(root), func(c *watcher.Config) { c.Limits.Files, c.Limits.Bytes = 3, 1<<20 })
	r := startRig(t, cfg)
	for _, path := range []string{"", "1.md"} {
		if e := r.explainPath(filepath.Join(root, path)); e.InStep || !strings.Contains(fmt.Sprint(e.Actions), "source_accept path=") {
			t.Errorf("%q of a held source: %+v", path, e)
		}
	}
	for i := range 3 {
		must(t, os.Remove(filepath.Join(root, fmt.Sprintf("%d.md", i))))
	}
	r.announce(contract.Announce{})
	for i := range 3 {
		write(t, filepath.Join(root, fmt.Sprintf("new%d.md", i)), "text")
	}
	r.announce(contract.Announce{})
	over := 0
	for path, h := range r.heads("full", wt) {
		if h.Op != contract.OpSkipped {
			continue
		}
		over++
		if e := r.explainPath(filepath.Join(root, path)); e.Verdict != contract.VerdictSkipped || e.Reason != h.Reason || !e.InStep || !strings.Contains(fmt.Sprint(e.Actions), "source_accept path=") {
			t.Errorf("%s: %+v", path, e)
		}
	}
	if e := r.explainPath(root); over == 0 || !e.InStep {
		t.Errorf("%d are left out: %+v", over, e)
	}
}

func TestPathThatNoTreeCouldHold_IsExplained(t *testing.T) {
	isolateGit(t)
	bare := folder(t, "app.git")
	git(t, bare, "init", "-q", "--bare")
	commit := rawTree(t, bare, "a.txt", "..", ".", "../up.txt", "/etc/x.txt", "a/../../b.txt", "a//c.txt", ".git")
	git(t, bare, "update-ref", "refs/heads/main", commit)
	r := startRig(t, watching(bare))
	r.expectCommit("app", "main", commit)
	skipped := 0
	for path, h := range r.heads("app", "main") {
		if h.Op == contract.OpSkipped {
			skipped++
			if e := r.explain(contract.ExplainFile{Source: "app", Path: path}); e.Verdict != contract.VerdictSkipped || e.Reason != h.Reason || !e.InStep {
				t.Errorf("%q: %+v", path, e)
			}
		}
	}
	if skipped == 0 {
		t.Error("nothing is skipped")
	}
}

// What nobody can write now is not said to be unnoticed.
func TestFullDisk_IsExplained(t *testing.T) {
	root := folder(t, "disk")
	write(t, filepath.Join(root, "a.md"), "text")
	r := startRig(t, watching(root))
	r.bus.Room().Guard(func(int64) error {
		return document.Errorf(document.Unavailable, "the disk is nearly full: make room")
	})
	write(t, filepath.Join(root, "b.md"), "text")
	if e := r.explainPath(filepath.Join(root, "b.md")); e.Verdict != contract.VerdictChanged || !strings.Contains(e.Waits, "nearly full") {
		t.Errorf("%+v", e)
	}
	r.bus.Room().Guard(nil)
	r.expect("disk", wt, map[string]string{"a.md": "text", "b.md": "text"})
}
