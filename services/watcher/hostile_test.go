package watcher_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/watcher"
)

// rawTree writes a tree that git itself would refuse, with one blob under
// every name, and returns the commit of it.
func rawTree(t *testing.T, repository string, names ...string) string {
	t.Helper()
	run := func(stdin []byte, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = repository, bytes.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	var tree bytes.Buffer
	for _, name := range names {
		id, err := hex.DecodeString(run([]byte(name), "hash-object", "-w", "--stdin"))
		must(t, err)
		fmt.Fprintf(&tree, "100644 %s\x00%s", name, id)
	}
	return run(nil, "commit-tree", "-m", "raw", run(tree.Bytes(), "hash-object", "-t", "tree", "-w", "--literally", "--stdin"))
}

func TestPathOutOfTheTree_IsNotPut(t *testing.T) {
	for _, reader := range []string{"git", "go-git"} {
		t.Run(reader, func(t *testing.T) {
			isolateGit(t)
			bare := folder(t, "app.git")
			git(t, bare, "init", "-q", "--bare")
			commit := rawTree(t, bare, "a.txt", "..", ".", "../up.txt", "/etc/x.txt", "a/../../b.txt", "a//c.txt", ".git")
			git(t, bare, "update-ref", "refs/heads/main", commit)
			r := startRig(t, with(watching(bare), func(c *watcher.Config) { c.Git = reader }))
			r.expectCommit("app", "main", commit)
			heads := r.heads("app", "main")
			for path, h := range heads {
				if path == "a.txt" && h.Op == contract.OpPut || h.Op == contract.OpSkipped && h.Reason == "path leaves the tree" {
					continue
				}
				t.Errorf("%q is %s %q", path, h.Op, h.Reason)
			}
			if len(heads) != 7 {
				t.Errorf("%d documents: %v", len(heads), keys(heads))
			}
			for path, want := range map[string]contract.Verdict{
				"..": contract.VerdictSkipped, ".": contract.VerdictSkipped, "/etc/x.txt": contract.VerdictSkipped, "a//c.txt": contract.VerdictSkipped, "a.txt": contract.VerdictLogged, "./a.txt": contract.VerdictLogged,
			} {
				e, err := call[contract.ExplainFile, contract.FileExplanation](r, contract.SubjectExplainFile, contract.ExplainFile{Source: "app", Path: path})
				if err != nil || e.Verdict != want {
					t.Errorf("%q is explained as %s, %v", path, e.Verdict, err)
				}
			}
		})
	}
}

// What does not fit into the headers of a message must not keep the rest out.
func TestPathOfAMegabyte_DoesNotFailTheComparison(t *testing.T) {
	isolateGit(t)
	bare := folder(t, "app.git")
	git(t, bare, "init", "-q", "--bare")
	commit := rawTree(t, bare, "a.txt", strings.Repeat("\x01", 50_000), strings.Repeat("x", 1<<20))
	git(t, bare, "update-ref", "refs/heads/main", commit)
	r := startRig(t, watching(bare))
	r.expectCommit("app", "main", commit)
	r.expect("app", "main", map[string]string{"a.txt": "a.txt"})
}

// The rule of a megabyte that drops a document must not keep its deletion out
// of the log.
func TestHugeRule_DropsADocumentAllTheSame(t *testing.T) {
	root := folder(t, "notes")
	write(t, filepath.Join(root, "a.txt"), "text")
	r := startRig(t, watching(root))
	r.expect("notes", "worktree", map[string]string{"a.txt": "text"})
	must(t, os.WriteFile(filepath.Join(root, ".gitignore"), []byte("["+strings.Repeat("a-z", 1_300_000)+"]*.txt\n"), 0o644))
	r.announce(contract.Announce{})
	if h := r.heads("notes", "worktree")["a.txt"]; h.Op == contract.OpPut {
		t.Errorf("it is still %s", h.Op)
	}
}
