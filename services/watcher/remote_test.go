package watcher_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher"
)

// elsewhere is a repository that is reached by an address only, and the clone that is
// pushed from.
type elsewhere struct {
	t          *testing.T
	bare, work string
	url        string
}

func newElsewhere(t *testing.T) *elsewhere {
	isolateGit(t)
	e := &elsewhere{t: t, bare: folder(t, "team.git"), work: folder(t, "work")}
	e.url = "file://" + e.bare
	git(t, e.bare, "init", "-q", "--bare")
	git(t, e.work, "init", "-q")
	return e
}

// push commits a file and pushes it to a branch; it returns the commit.
func (e *elsewhere) push(branch, name, text string) string {
	e.t.Helper()
	write(e.t, filepath.Join(e.work, name), text)
	git(e.t, e.work, "add", "-A")
	git(e.t, e.work, "commit", "-qm", name)
	git(e.t, e.work, "push", "-qf", e.bare, "HEAD:"+branch)
	return git(e.t, e.work, "rev-parse", "HEAD")
}

// following is a configuration of a watcher that fetches when it is told to.
func following(t *testing.T) watcher.Config {
	return with(watching(), func(c *watcher.Config) { c.StateDir, c.Fetch = t.TempDir(), 24*time.Hour })
}

func (r *rig) refused(req contract.Announce) error {
	_, err := client.Announce.Ask(r.t.Context(), r.bus.Conn(), req)
	return err
}

func TestPushToARemote_IsInTheAnswerOfItsToken(t *testing.T) {
	e := newElsewhere(t)
	e.push("main", "a.go", "package a")
	r := startRig(t, following(t))
	list, err := r.add(contract.SourceAdd{Remote: e.url})
	must(t, err)
	if i := list.Sources[0]; i.Source != "team" || i.Remote != e.url || i.Kind != contract.SourceBare || i.Branch != "main" || i.Documents != 1 || i.Gone != "" {
		t.Fatalf("%+v", i)
	}
	for i, repository := range []string{e.url, list.Sources[0].Root} {
		name := fmt.Sprintf("b%d.go", i)
		commit := e.push("main", name, "package b")
		if reply := r.announce(contract.Announce{Repository: repository}); reply.Token.IsZero() || len(reply.Sources) != 1 {
			t.Errorf("%s: %+v", repository, reply)
		}
		if h := r.heads("team", "main")[name]; h.Op != contract.OpPut || h.Commit != commit {
			t.Errorf("%s: %+v", repository, h)
		}
	}
	// Another history, and another default branch, are just other states.
	git(t, e.work, "checkout", "-q", "--orphan", "fresh")
	git(t, e.work, "rm", "-rqf", ".")
	e.push("main", "c.go", "package c")
	r.announce(contract.Announce{Repository: e.url})
	r.expect("team", "main", map[string]string{"c.go": "package c"})
	last := e.push("next", "d.go", "package d")
	git(t, e.bare, "symbolic-ref", "HEAD", "refs/heads/next")
	r.announce(contract.Announce{Repository: e.url})
	r.expect("team", "next", map[string]string{"c.go": "package c", "d.go": "package d"})
	r.expect("team", "main", map[string]string{})
	if m := r.marker("team", "next"); m.Commit != last || len(strings.Split(m.Ancestors, ",")) != 1 {
		t.Errorf("%+v", m)
	}
	if err := r.refused(contract.Announce{Repository: e.url + "x"}); document.KindOf(err) != document.NotFound {
		t.Errorf("an address that nobody follows: %v", err)
	}
}

func TestPushToARemoteWithoutAWebhook_IsFetched(t *testing.T) {
	e := newElsewhere(t)
	r := startRig(t, with(following(t), func(c *watcher.Config) {
		c.Fetch = time.Second
		c.Sources = []contract.SourceAdd{{Remote: e.url, Source: "ours"}} // nothing is in it yet
	}))
	r.expect("ours", "main", map[string]string{})
	e.push("main", "a.go", "package a")
	r.expect("ours", "main", map[string]string{"a.go": "package a"})
}

func TestRemoteThatIsAway_KeepsItsDocuments(t *testing.T) {
	e := newElsewhere(t)
	e.push("main", "a.go", "package a")
	r := startRig(t, following(t))
	list, err := r.add(contract.SourceAdd{Remote: e.url})
	must(t, err)
	mirror := list.Sources[0].Root
	must(t, os.Rename(e.bare, e.bare+".away"))
	if err := r.refused(contract.Announce{Repository: e.url}); document.KindOf(err) != document.NotFound {
		t.Errorf("a token of what cannot be fetched: %v", err)
	}
	docs := map[string]string{"a.go": "package a"}
	r.expect("team", "main", docs)
	if i := r.sources()["team"]; !strings.Contains(i.Gone, e.url) {
		t.Errorf("nothing says that it is away: %+v", i)
	}
	// Its copy is lost, too, and so is what a fetch that was killed has locked.
	r.stop()
	must(t, os.RemoveAll(mirror))
	r.startUncompared()
	eventually(t, func() error {
		i := r.sources()["team"]
		if !i.Scanned.IsZero() {
			t.Fatalf("an empty copy was compared: %+v", i)
		}
		if !strings.Contains(i.Gone, "team.git") || !strings.Contains(strings.Join(i.Degraded, " "), "comparison: ") {
			return fmt.Errorf("%+v", i)
		}
		return nil
	})
	r.expect("team", "main", docs)
	write(t, filepath.Join(mirror, "shallow.lock"), "")
	must(t, os.Rename(e.bare+".away", e.bare))
	r.stop()
	e.push("main", "b.go", "package b")
	docs["b.go"] = "package b"
	r.start()
	r.expect("team", "main", docs)
	eventually(t, func() error {
		if i := r.sources()["team"]; i.Gone != "" || len(i.Degraded) > 0 {
			return fmt.Errorf("%+v", i)
		}
		return nil
	})
}

func TestStateFolderMoves_RemoteIsStillThere(t *testing.T) {
	e := newElsewhere(t)
	e.push("main", "a.go", "package a")
	r := startRig(t, following(t))
	before, err := r.add(contract.SourceAdd{Remote: e.url})
	must(t, err)
	r.stop()
	moved := filepath.Join(t.TempDir(), "moved")
	must(t, os.Rename(r.cfg.StateDir, moved))
	r.cfg.StateDir = moved
	must(t, os.Rename(e.bare, e.bare+".away")) // what is there now is what was moved
	r.start()
	if i := r.sources()["team"]; i.Root != filepath.Join(moved, "remotes", filepath.Base(before.Sources[0].Root)) || i.Documents != 1 || i.Commit == "" {
		t.Errorf("%+v", i)
	}
	must(t, os.Rename(e.bare+".away", e.bare))
	e.push("main", "b.go", "package b")
	r.announce(contract.Announce{Repository: e.url})
	r.expect("team", "main", map[string]string{"a.go": "package a", "b.go": "package b"})
}

func TestRemovedRemote_TakesItsCopyWithIt(t *testing.T) {
	e := newElsewhere(t)
	e.push("main", "a.go", "package a")
	e.push("side", "b.go", "package b")
	r := startRig(t, following(t))
	_, err := r.add(contract.SourceAdd{Remote: e.url})
	must(t, err)
	list, err := r.add(contract.SourceAdd{Remote: e.url, Branch: "side"}) // a source of its own
	must(t, err)
	if len(list.Sources) != 2 || list.Sources[1].Source != "team-2" || list.Sources[1].Branch != "side" {
		t.Fatalf("%+v", list.Sources)
	}
	r.expect("team-2", "side", map[string]string{"a.go": "package a", "b.go": "package b"})
	_, err = call[contract.SourceRemove, contract.SourceList](r, contract.SubjectSourcesRemove, contract.SourceRemove{Source: "team"})
	must(t, err)
	if _, err := os.Stat(list.Sources[0].Root); !os.IsNotExist(err) {
		t.Errorf("the copy is there: %v", err)
	}
	// One whose removal was interrupted.
	left := filepath.Join(filepath.Dir(list.Sources[1].Root), "left-0a1b.git")
	write(t, filepath.Join(left, "HEAD"), "ref: refs/heads/main\n")
	r.stop()
	r.start()
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("a copy that no source has is there: %v", err)
	}
	r.expect("team-2", "side", map[string]string{"a.go": "package a", "b.go": "package b"})
}

func TestRemoteAboveTheLimits_IsAcceptedByItsAddress(t *testing.T) {
	e := newElsewhere(t)
	e.push("main", "a.go", "package a")
	e.push("main", "b.go", "package b")
	cfg := with(following(t), func(c *watcher.Config) { c.Limits.Files = 1 })
	r := startRig(t, cfg)
	_, err := r.add(contract.SourceAdd{Remote: e.url})
	if document.KindOf(err) != document.TooLarge || !strings.Contains(err.Error(), e.url) || strings.Contains(err.Error(), cfg.StateDir) {
		t.Fatalf("%v", err)
	}
	var large *document.Error
	if !errors.As(err, &large) || len(large.Actions) != 2 || large.Actions[0].Do != document.DoSourceAccept || large.Actions[0].Path != document.Path(e.url) {
		t.Errorf("%+v", large)
	}
	if left, _ := os.ReadDir(filepath.Join(cfg.StateDir, "remotes")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	_, err = r.add(contract.SourceAdd{Remote: e.url, Accept: true})
	must(t, err)
	r.expect("team", "main", map[string]string{"a.go": "package a", "b.go": "package b"})
}

func TestRemoteThatCannotBeFetched_IsNotRegistered(t *testing.T) {
	e := newElsewhere(t)
	e.push("main", "a.go", "package a")
	cfg := following(t)
	r := startRig(t, cfg)
	for name, c := range map[string]struct {
		add  contract.SourceAdd
		kind document.ErrorKind
	}{
		"no repository":    {contract.SourceAdd{Remote: "file://" + e.work + "/none.git"}, document.NotFound},
		"no such branch":   {contract.SourceAdd{Remote: e.url, Branch: "none"}, document.NotFound},
		"nobody answers":   {contract.SourceAdd{Remote: "http://127.0.0.1:1/a.git"}, document.Unavailable},
		"runs a program":   {contract.SourceAdd{Remote: "ext::sh -c touch% /tmp/x"}, document.InvalidRequest},
		"with a password":  {contract.SourceAdd{Remote: "https://a:b@127.0.0.1/a.git"}, document.InvalidRequest},
		"beside a root":    {contract.SourceAdd{Remote: e.url, Root: e.work}, document.InvalidRequest},
		"compared once":    {contract.SourceAdd{Remote: e.url, Once: true}, document.InvalidRequest},
		"options, no path": {contract.SourceAdd{Remote: "--upload-pack=x"}, document.InvalidRequest},
	} {
		if _, err := r.add(c.add); document.KindOf(err) != c.kind {
			t.Errorf("%s: %v, want %s", name, err, c.kind)
		}
	}
	if n := len(r.sources()); n > 0 {
		t.Errorf("%d sources are registered", n)
	}
	if left, _ := os.ReadDir(filepath.Join(cfg.StateDir, "remotes")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
