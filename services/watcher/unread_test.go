package watcher_test

import (
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

// verify has the watcher compare its sources with the log.
func (r *rig) verify(req contract.VerifyFilesRequest) (differences []contract.Difference, sum contract.VerifySummary) {
	r.t.Helper()
	err := client.VerifyFiles.Each(r.t.Context(), r.bus.Conn(), req, func(p contract.VerifyPart) error {
		if p.Difference != nil {
			differences = append(differences, *p.Difference)
		}
		if p.Summary != nil {
			sum = *p.Summary
		}
		return nil
	})
	must(r.t, err)
	return differences, sum
}

// unread is the path of the only document that could not be read, "" for none.
func unread(t *testing.T, u *contract.Unread) string {
	t.Helper()
	if u == nil {
		return ""
	}
	if u.Count != 1 || len(u.First) != 1 || !strings.HasPrefix(u.First[0].Reason, "unreadable") {
		t.Errorf("unread: %+v", u)
		return "several"
	}
	return string(u.First[0].Source) + ":" + string(u.First[0].Path)
}

// One object that git cannot read costs its document, which is named wherever
// somebody asks, and nothing else.
func TestBadBlob_CostsItsDocumentAlone(t *testing.T) {
	for _, reader := range []string{"git", "go-git"} {
		for damage, change := range map[string]func(t *testing.T, object string){
			"missing": func(t *testing.T, object string) { must(t, os.Remove(object)) },
			"damaged": func(t *testing.T, object string) {
				must(t, os.Chmod(object, 0o644))
				must(t, os.WriteFile(object, []byte("no object at all"), 0o644))
			},
		} {
			t.Run(reader+" "+damage, func(t *testing.T) {
				isolateGit(t)
				bare, work := folder(t, "app.git"), folder(t, "work")
				git(t, bare, "init", "-q", "--bare")
				git(t, work, "init", "-q")
				for _, name := range []string{"good", "bad", "later"} {
					write(t, filepath.Join(work, name+".go"), "package "+name)
				}
				git(t, work, "add", "-A")
				git(t, work, "commit", "-qm", "one")
				git(t, work, "push", "-q", bare, "main")
				id := git(t, work, "rev-parse", "HEAD:bad.go")
				object := filepath.Join(bare, "objects", id[:2], id[2:])
				whole, err := os.ReadFile(object)
				must(t, err)
				change(t, object)

				r := startRig(t, with(watching(bare), func(c *watcher.Config) { c.Git = reader }))
				announce := func(want string) {
					t.Helper()
					rep := r.announce(contract.Announce{Repository: bare})
					if got := unread(t, rep.Unread); rep.Token.IsZero() || got != want {
						t.Errorf("token %s, unread %q, want %q", rep.Token, got, want)
					}
				}
				verify := func(outcome contract.VerifyOutcome, want string) {
					t.Helper()
					for _, repair := range []bool{false, true} {
						found, sum := r.verify(contract.VerifyFilesRequest{Repair: repair})
						if len(found) > 0 || sum.Outcome != outcome || len(sum.Sources) != 1 || sum.Sources[0].NotCompared != "" || unread(t, sum.Sources[0].Unread) != want {
							t.Errorf("repair %t: %+v, differences %+v, want %s and %q unread", repair, sum, found, outcome, want)
						}
					}
				}
				announce("app:bad.go")
				r.expect("app", "main", map[string]string{"good.go": "package good", "later.go": "package later"})
				if h := r.heads("app", "main")["bad.go"]; h.Op != contract.OpSkipped || !strings.HasPrefix(h.Reason, "unreadable") {
					t.Errorf("bad.go is %s %q", h.Op, h.Reason)
				}
				verify(contract.OutcomeIncomplete, "app:bad.go")
				e := r.explain(contract.ExplainFile{Source: "app", Path: "bad.go"})
				if e.Verdict != contract.VerdictSkipped || !strings.Contains(strings.Join(e.Next, " "), "fsck") {
					t.Errorf("explained as %s: %q", e.Verdict, e.Next)
				}

				must(t, os.RemoveAll(object))
				must(t, os.WriteFile(object, whole, 0o444))
				announce("")
				r.expect("app", "main", map[string]string{"good.go": "package good", "later.go": "package later", "bad.go": "package bad"})
				verify(contract.OutcomeEqual, "")

				// What the log has of the same object is what it was.
				change(t, object)
				announce("")
				verify(contract.OutcomeIncomplete, "app:bad.go")
				r.expect("app", "main", map[string]string{"good.go": "package good", "later.go": "package later", "bad.go": "package bad"})
			})
		}
	}
}

// A repository without its git directory is no repository whose objects are
// bad: nothing is withdrawn.
func TestRepositoryThatIsGone_KeepsItsDocuments(t *testing.T) {
	for _, reader := range []string{"git", "go-git"} {
		t.Run(reader, func(t *testing.T) {
			isolateGit(t)
			bare, work := folder(t, "app.git"), folder(t, "work")
			git(t, bare, "init", "-q", "--bare")
			git(t, work, "init", "-q")
			write(t, filepath.Join(work, "a.go"), "package a")
			git(t, work, "add", "-A")
			git(t, work, "commit", "-qm", "one")
			git(t, work, "push", "-q", bare, "main")
			r := startRig(t, with(watching(bare, work), func(c *watcher.Config) { c.Git = reader }))
			r.expectCommit("app", "main", git(t, work, "rev-parse", "HEAD"))
			must(t, os.RemoveAll(filepath.Join(bare, "objects")))
			must(t, os.RemoveAll(filepath.Join(work, ".git")))
			found, sum := r.verify(contract.VerifyFilesRequest{Repair: true})
			if len(found) > 0 || sum.Equal || sum.Outcome != contract.OutcomeIncomplete || len(sum.Sources) != 2 {
				t.Fatalf("%+v, differences %+v", sum, found)
			}
			for _, s := range sum.Sources {
				if s.NotCompared == "" || s.Gap != contract.GapUnreadable || !slices.Contains(s.Actions, document.Action{Do: document.DoSourceRemove, Source: s.Source}) {
					t.Errorf("%+v", s)
				}
			}
			r.expect("app", "main", map[string]string{"a.go": "package a"})
			r.expect("work", "worktree", map[string]string{"a.go": "package a"})
		})
	}
}
