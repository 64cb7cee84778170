package watcher_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher"
)

// listener collects the changes that are told on a subject.
type listener struct {
	r   *rig
	sub *nats.Subscription
}

func (r *rig) listen(subject string) *listener {
	r.t.Helper()
	sub, err := r.bus.Conn().SubscribeSync(subject)
	must(r.t, err)
	must(r.t, r.bus.Conn().Flush())
	return &listener{r, sub}
}

// next waits for the change that fits, and checks each on the way against the
// log: it is never told before the log has it.
func (l *listener) next(fits func(contract.Change) bool) contract.Change {
	l.r.t.Helper()
	for {
		m, err := l.sub.NextMsgWithContext(l.r.t.Context())
		must(l.r.t, err)
		var c contract.Change
		dec := json.NewDecoder(strings.NewReader(string(m.Data)))
		dec.DisallowUnknownFields()
		must(l.r.t, dec.Decode(&c))
		if last := l.r.lastSeq(); last < uint64(c.Version) {
			l.r.t.Errorf("%+v was told when the log was at %d", c, last)
		}
		if m.Subject != contract.ChangeSubject(c.Source, c.View) || c.Token.Seq != uint64(c.Version) || c.Time.IsZero() {
			l.r.t.Errorf("%s: %+v", m.Subject, c)
		}
		if fits(c) {
			return c
		}
	}
}

func at(path document.Path, op contract.Op) func(contract.Change) bool {
	return func(c contract.Change) bool { return c.Path == path && c.Op == op }
}

func TestEveryChange_IsTold(t *testing.T) {
	isolateGit(t)
	root, bare, work := folder(t, "notes"), folder(t, "app.git"), folder(t, "work")
	git(t, bare, "init", "-q", "--bare")
	git(t, work, "init", "-q")
	r := startRig(t, watching(root, bare))
	all := r.listen("freshet.changes.*.*")

	file := filepath.Join(root, "a.md")
	write(t, file, "one")
	if c := all.next(at("a.md", contract.OpPut)); c.Source != "notes" || c.View != wt || c.Size != 3 || c.Collection != "docs" {
		t.Errorf("created: %+v", c)
	}
	write(t, file, "edited")
	all.next(func(c contract.Change) bool { return c.Path == "a.md" && c.Size == 6 })
	must(t, os.Rename(file, filepath.Join(root, "b.md")))
	all.next(at("b.md", contract.OpPut))
	all.next(at("a.md", contract.OpDelete)) // behind the put: it is never in neither place
	must(t, os.Remove(filepath.Join(root, "b.md")))
	all.next(at("b.md", contract.OpDelete))
	write(t, filepath.Join(root, "c.md"), "\x00")
	if c := all.next(at("c.md", contract.OpSkipped)); c.Reason != "binary" {
		t.Errorf("skipped: %+v", c)
	}

	write(t, filepath.Join(work, "x.go"), "package x")
	write(t, filepath.Join(work, "y.go"), "package y")
	git(t, work, "add", "-A")
	git(t, work, "commit", "-qm", "one")
	git(t, work, "push", "-q", bare, "main:release/2")
	git(t, bare, "symbolic-ref", "HEAD", "refs/heads/release/2")
	commit := git(t, work, "rev-parse", "HEAD")
	var highest document.Version
	c := all.next(func(c contract.Change) bool {
		if c.Source == "app" && c.Op == contract.OpPut {
			highest = max(highest, c.Version)
		}
		return c.Op == contract.OpMarker && c.Commit == commit
	})
	if c.View != "release/2" || c.Documents != 2 || c.Version <= highest || highest == 0 {
		t.Errorf("pushed: %+v behind %d", c, highest)
	}

	r.addAPI("tickets")
	d := r.put("tickets", text("4711.md", "Heron"))
	if c := all.next(at("4711.md", contract.OpPut)); c.Version != d.Version {
		t.Errorf("put: %+v, the reply has %d", c, d.Version)
	}
}

func TestMarker_NamesTheCommitsBefore(t *testing.T) {
	for _, reader := range []string{"git", "go-git"} {
		t.Run(reader, func(t *testing.T) {
			isolateGit(t)
			bare, work := folder(t, "app.git"), folder(t, "work")
			git(t, bare, "init", "-q", "--bare")
			git(t, work, "init", "-q")
			r := startRig(t, with(watching(bare), func(c *watcher.Config) { c.Git = reader }))
			var commits []string
			for i := range 104 {
				git(t, work, "commit", "-qm", fmt.Sprint(i), "--allow-empty", "--date", fmt.Sprintf("%d +0000", 1700000000+i))
				commits = append(commits, git(t, work, "rev-parse", "HEAD"))
				if i == 1 {
					git(t, work, "push", "-q", bare, "main")
					r.expectCommit("app", "main", commits[1])
					if m := r.marker("app", "main"); m.Ancestors != commits[0] {
						t.Errorf("the marker of the second commit names %q", m.Ancestors)
					}
				}
			}
			git(t, work, "push", "-q", bare, "main")
			r.expectCommit("app", "main", commits[103])
			got := strings.Split(r.marker("app", "main").Ancestors, ",")
			if len(got) != 100 || got[0] != commits[102] || got[99] != commits[3] {
				t.Errorf("%d commits, from %s to %s", len(got), got[0], got[len(got)-1])
			}
			// What is not in the history any more is not named.
			git(t, work, "checkout", "-q", "-b", "other", commits[50])
			git(t, work, "commit", "-qm", "elsewhere", "--allow-empty")
			git(t, work, "push", "-qf", bare, "other:main")
			r.expectCommit("app", "main", git(t, work, "rev-parse", "HEAD"))
			m := r.marker("app", "main")
			if !strings.Contains(m.Ancestors, commits[50]) || strings.Contains(m.Ancestors, commits[51]) {
				t.Errorf("after a forced push: %q", m.Ancestors)
			}
			git(t, bare, "update-ref", "-d", "refs/heads/main")
			r.expectCommit("app", "main", "")
			if m := r.marker("app", "main"); m.Ancestors != "" {
				t.Errorf("without a branch: %q", m.Ancestors)
			}
		})
	}
}
