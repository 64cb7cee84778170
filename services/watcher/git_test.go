package watcher_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher"
)

// marker returns the marker of a view.
func (r *rig) marker(source document.Source, view document.View) contract.FileHead {
	r.t.Helper()
	r.heads(source, view) // waits for the table
	h, _ := r.bus.Files().Get(bus.FileKey{Source: source, Doc: document.MarkerDoc, View: view})
	return h
}

func (r *rig) expectCommit(source document.Source, view document.View, commit string) {
	r.t.Helper()
	eventually(r.t, func() error {
		if m := r.marker(source, view); m.Op != contract.OpMarker || m.Commit != commit {
			return fmt.Errorf("the marker says %+v, want commit %q", m, commit)
		}
		return nil
	})
}

func TestPushOfSeveralCommits_PublishesWhatChangedAlone(t *testing.T) {
	for _, reader := range []string{"git", "go-git"} {
		t.Run(reader, func(t *testing.T) {
			isolateGit(t)
			bare, work := folder(t, "app.git"), folder(t, "work")
			git(t, bare, "init", "-q", "--bare")
			r := startRig(t, with(watching(bare), func(c *watcher.Config) { c.Git = reader }))
			git(t, work, "init", "-q")
			for i := range 30 {
				write(t, filepath.Join(work, fmt.Sprintf("pkg/f%02d.go", i)), fmt.Sprintf("package f%d", i))
			}
			write(t, filepath.Join(work, "vendor.min.js"), "x")
			write(t, filepath.Join(work, "\xff\nodd%name.md"), "odd")
			must(t, os.Symlink("pkg", filepath.Join(work, "link")))
			git(t, work, "add", "-A")
			git(t, work, "commit", "-qm", "one")
			git(t, work, "push", "-q", bare, "main")
			first := git(t, work, "rev-parse", "HEAD")
			r.expectCommit("app", "main", first)
			if got := r.sources()["app"]; got.Documents != 31 || got.Skipped != 2 || got.Git != reader || got.Branch != "main" {
				t.Errorf("after the first push: %+v", got)
			}
			if h := r.heads("app", "main")["%FF%0Aodd%25name.md"]; h.Op != contract.OpPut || h.Commit != first {
				t.Errorf("odd name: %+v", h)
			}
			before := r.lastSeq()
			write(t, filepath.Join(work, "pkg/f03.go"), "package changed")
			git(t, work, "commit", "-qam", "two")
			git(t, work, "mv", "pkg/f04.go", "pkg/renamed.go")
			write(t, filepath.Join(work, "new.md"), "# new")
			git(t, work, "add", "-A")
			git(t, work, "commit", "-qm", "three")
			git(t, work, "rm", "-q", "pkg/f05.go")
			write(t, filepath.Join(work, "pkg/f06.go"), "package undone")
			git(t, work, "commit", "-qam", "four")
			write(t, filepath.Join(work, "pkg/f06.go"), "package f6")
			git(t, work, "commit", "-qam", "five")
			git(t, work, "push", "-q", bare, "main")
			third := git(t, work, "rev-parse", "HEAD")
			r.expectCommit("app", "main", third)
			ops := map[string]contract.Op{}
			for path, h := range r.heads("app", "main") {
				if uint64(h.Version) > before {
					ops[path] = h.Op
				}
			}
			want := map[string]contract.Op{
				"pkg/f03.go": contract.OpPut, "pkg/f04.go": contract.OpDelete, "pkg/renamed.go": contract.OpPut,
				"new.md": contract.OpPut, "pkg/f05.go": contract.OpDelete,
			}
			if fmt.Sprint(ops) != fmt.Sprint(want) {
				t.Errorf("published %v, want %v", ops, want)
			}
			if got := r.lastSeq() - before; got != uint64(len(want))+1 {
				t.Errorf("%d messages, want one per change and the marker", got)
			}
			// A force push to an older state, packed refs, and a branch that goes
			// are just other states.
			git(t, work, "push", "-qf", bare, first+":main")
			r.expectCommit("app", "main", first)
			git(t, bare, "pack-refs", "--all")
			git(t, work, "push", "-q", bare, "main")
			git(t, bare, "gc", "-q")
			r.expectCommit("app", "main", third)
			git(t, work, "push", "-q", bare, "main:other")
			git(t, bare, "symbolic-ref", "HEAD", "refs/heads/other")
			r.expectCommit("app", "other", third)
			if m := r.marker("app", "main"); m.Count != 0 {
				t.Errorf("the view that HEAD left has %d documents", m.Count)
			}
			git(t, bare, "update-ref", "-d", "refs/heads/other")
			r.expectCommit("app", "other", "")
			r.expect("app", "other", map[string]string{})
		})
	}
}

func TestBranchSwitch_LeavesNoOldFiles(t *testing.T) {
	isolateGit(t)
	work := folder(t, "tool")
	git(t, work, "init", "-q")
	write(t, filepath.Join(work, "a.go"), "package a")
	write(t, filepath.Join(work, ".gitignore"), "*.log\n")
	write(t, filepath.Join(work, "x.log"), "noise")
	git(t, work, "add", "-A")
	git(t, work, "commit", "-qm", "one")
	git(t, work, "checkout", "-qb", "side")
	git(t, work, "rm", "-q", "a.go")
	write(t, filepath.Join(work, "b.go"), "package b")
	git(t, work, "add", "-A")
	git(t, work, "commit", "-qm", "two")
	r := startRig(t, watching(filepath.Join(work, "sub", "..")))
	r.expect("tool", wt, map[string]string{".gitignore": "*.log\n", "b.go": "package b"})
	git(t, work, "checkout", "-q", "main")
	r.expect("tool", wt, map[string]string{".gitignore": "*.log\n", "a.go": "package a"})
	r.expectCommit("tool", wt, git(t, work, "rev-parse", "main"))
	if got := r.sources()["tool"]; got.Branch != "main" || got.Kind != contract.SourceWorktree {
		t.Errorf("%+v", got)
	}
	// A commit changes no file, only the marker.
	before := r.lastSeq()
	git(t, work, "commit", "-q", "--allow-empty", "-m", "three")
	r.expectCommit("tool", wt, git(t, work, "rev-parse", "HEAD"))
	if n := r.lastSeq() - before; n != 1 {
		t.Errorf("a commit without changes published %d messages", n)
	}
}

func TestIgnoreRulesOfGit_AreObeyed(t *testing.T) {
	isolateGit(t)
	work, other := folder(t, "rules"), folder(t, "other")
	git(t, other, "init", "-q")
	write(t, filepath.Join(other, "s.go"), "package s")
	git(t, other, "add", "-A")
	git(t, other, "commit", "-qm", "sub")
	git(t, work, "init", "-q")
	git(t, work, "submodule", "--quiet", "add", other, "sub")
	write(t, filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "git/ignore"), "*.global\n")
	write(t, filepath.Join(work, ".git/info/exclude"), "*.excluded\n")
	write(t, filepath.Join(work, "gen/kept.go"), "package kept")
	git(t, work, "add", "-A")
	for _, name := range []string{"a.global", "a.excluded", "gen/b.go", "a.txt", ".env"} {
		write(t, filepath.Join(work, name), name)
	}
	write(t, filepath.Join(work, ".gitignore"), "gen/\n")
	r := startRig(t, watching(work))
	modules, err := os.ReadFile(filepath.Join(work, ".gitmodules"))
	must(t, err)
	docs := map[string]string{"a.txt": "a.txt", "gen/kept.go": "package kept", ".gitignore": "gen/\n", ".gitmodules": string(modules)}
	r.expect("rules", wt, docs)
	heads := r.heads("rules", wt)
	if heads["sub"].Reason != "submodule" || heads[".env"].Reason != "secret: .env*" {
		t.Errorf("%+v", heads)
	}
	// Rules that change are followed: in the tree, and beside it.
	write(t, filepath.Join(work, ".freshetignore"), "!gen/\n!.env\n!*.excluded\n")
	docs[".freshetignore"], docs["gen/b.go"], docs[".env"], docs["a.excluded"] = "!gen/\n!.env\n!*.excluded\n", "gen/b.go", ".env", "a.excluded"
	r.expect("rules", wt, docs)
	write(t, filepath.Join(work, "gen/b.go"), "package b")
	docs["gen/b.go"] = "package b"
	r.expect("rules", wt, docs)
	write(t, filepath.Join(work, ".git/info/exclude"), "*.txt\n")
	delete(docs, "a.txt")
	r.expect("rules", wt, docs)
	must(t, os.Remove(filepath.Join(work, ".freshetignore")))
	delete(docs, ".freshetignore")
	delete(docs, "gen/b.go")
	delete(docs, ".env")
	r.expect("rules", wt, docs)
}

func TestLinkedWorktree_IsFollowed(t *testing.T) {
	isolateGit(t)
	work := folder(t, "base")
	git(t, work, "init", "-q")
	write(t, filepath.Join(work, "a.go"), "package a")
	git(t, work, "add", "-A")
	git(t, work, "commit", "-qm", "one")
	linked := filepath.Join(filepath.Dir(work), "linked")
	git(t, work, "worktree", "add", "-q", "-b", "side", linked)
	r := startRig(t, watching(linked))
	r.expect("linked", wt, map[string]string{"a.go": "package a"})
	git(t, linked, "commit", "-q", "--allow-empty", "-m", "two")
	r.expectCommit("linked", wt, git(t, linked, "rev-parse", "side"))
	rep := r.announce(contract.Announce{Repository: linked, Hook: "post-commit"})
	if len(rep.Sources) != 1 || rep.Sources[0] != "linked" || rep.Token.IsZero() {
		t.Errorf("%+v", rep)
	}
}
