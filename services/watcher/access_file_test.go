package watcher_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// guard holds each state of the log against whom its texts are for: nobody else may be
// shown one by it. The groups are a and b.
type guard struct {
	*rig
	rules *access.Rules // that show everybody everything

	mu     sync.Mutex
	texts  map[document.Hash]string // whom a text is for
	heads  map[bus.FileKey]contract.FileHead
	states int // that were looked at and had a text
}

func newGuard(r *rig) *guard {
	r.t.Helper()
	file := filepath.Join(r.t.TempDir(), "access.yaml")
	write(r.t, file, "rules:\n  - {groups: [everyone]}\n")
	rules, err := access.Open(file, nil)
	must(r.t, err)
	g := &guard{rig: r, rules: rules, texts: map[document.Hash]string{}, heads: map[bus.FileKey]contract.FileHead{}}
	r.t.Cleanup(r.bus.Files().Observe(g.observe))
	return g
}

// text is one that is for a group alone.
func (g *guard) text(group string, n int) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	text := fmt.Sprintf("for %s, number %d", group, n)
	g.texts[document.HashOf([]byte(text))] = group
	return text
}

func only(group string) string { return "rules:\n  - {groups: [" + group + "]}\n" }

func (g *guard) sees(group string, h contract.FileHead) bool {
	return g.rules.Sight(contract.Principal{Name: "key:k", Role: contract.RoleAsk, Groups: []string{group}}).Document(&h)
}

func (g *guard) observe(k bus.FileKey, _, now contract.FileHead) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.heads[k] = now
	for of, h := range g.heads {
		group, known := g.texts[h.Hash]
		if !known || of.Source != k.Source || of.View != k.View {
			continue
		}
		g.states++
		h.Access = now.Access // those of the view in this state
		for _, other := range []string{"a", "b"} {
			if other != group && g.sees(other, h) {
				g.t.Errorf("with version %d of %s, %s of %q is shown to %s, by %q", now.Version, now.Path, h.Path, group, other, now.Access.Texts())
			}
		}
	}
}

// expectSeen waits until a document is shown to whom it is for.
func (g *guard) expectSeen(source document.Source, view document.View, path, group string) {
	g.t.Helper()
	eventually(g.t, func() error {
		h := g.rig.heads(source, view)[path]
		if !g.sees(group, h) {
			return fmt.Errorf("%s is not shown to %s, by %q", path, group, h.Access.Texts())
		}
		return nil
	})
}

func other(group string) string { return map[string]string{"a": "b", "b": "a"}[group] }

func TestSourceWithRules_NothingTheyHideComesBeforeThem(t *testing.T) {
	isolateGit(t)
	root, bare, work := folder(t, "notes"), folder(t, "app.git"), folder(t, "work")
	r := &rig{t: t, bus: bustest.New(t), cfg: watching(root, bare)}
	g := newGuard(r)
	for _, dir := range []string{root, work} {
		for i := range 300 {
			write(t, filepath.Join(dir, fmt.Sprintf("!d%d/%d.md", i%7, i)), g.text("a", i))
		}
		write(t, filepath.Join(dir, ".freshetaccess"), only("a"))
		write(t, filepath.Join(dir, ".freshetignore"), ".*\n") // it is no document to leave out
	}
	git(t, bare, "init", "-q", "--bare")
	git(t, work, "init", "-q")
	git(t, work, "add", "-A")
	git(t, work, "commit", "-qm", "one")
	git(t, work, "push", "-q", bare, "main")
	r.start()
	g.expectSeen("notes", wt, "!d0/0.md", "a")
	g.expectSeen("app", "main", "!d0/0.md", "a")
	if g.states < 600 {
		t.Errorf("%d states were looked at", g.states)
	}
}

// Whom a text is for changes with the rules, from one commit to the next, and from one
// request to the next.
func TestTextAndRulesChangeTogether_NobodyIsShownTheOneByTheOther(t *testing.T) {
	isolateGit(t)
	bare, work := folder(t, "app.git"), folder(t, "work")
	git(t, bare, "init", "-q", "--bare")
	git(t, work, "init", "-q")
	r := startRig(t, watching(bare))
	r.addAPI("given")
	g := newGuard(r)
	group := "a"
	for i := range 6 {
		doc := g.text(group, i)
		write(t, filepath.Join(work, "!x.md"), doc)
		write(t, filepath.Join(work, fmt.Sprintf("y%d.md", i)), g.text(group, 1000+i))
		if i > 0 {
			must(t, os.Remove(filepath.Join(work, fmt.Sprintf("y%d.md", i-1))))
		}
		write(t, filepath.Join(work, ".freshetaccess"), only(group))
		git(t, work, "add", "-A")
		git(t, work, "commit", "-qm", "next")
		git(t, work, "push", "-q", bare, "main")
		r.expectCommit("app", "main", git(t, work, "rev-parse", "HEAD"))
		g.expectSeen("app", "main", "!x.md", group)
		reply, err := r.tryPut(contract.PutRequest{Source: "given", Documents: []contract.PutDocument{text("!x.md", doc), text(document.AccessFile, only(group)), text("z.md", g.text(group, 2000+i))}})
		must(t, err)
		if d := reply.Documents[1]; d.Error != nil || d.Version != r.heads("given", wt)[".freshetaccess"].Version || uint64(d.Version) > reply.Token.Seq {
			t.Errorf("the rules were put as %+v, and are %+v", d, r.heads("given", wt)[".freshetaccess"])
		}
		g.expectSeen("given", wt, "!x.md", group)
		group = other(group)
	}
	// Without the file nobody is kept from anything, and so it goes last.
	for _, path := range []string{"!x.md", fmt.Sprintf("y%d.md", 5)} {
		must(t, os.Remove(filepath.Join(work, path)))
	}
	write(t, filepath.Join(work, "open.md"), "for everybody")
	must(t, os.Remove(filepath.Join(work, ".freshetaccess")))
	git(t, work, "add", "-A")
	git(t, work, "commit", "-qm", "last")
	git(t, work, "push", "-q", bare, "main")
	r.expectCommit("app", "main", git(t, work, "rev-parse", "HEAD"))
	g.expectSeen("app", "main", "open.md", "a")
	if h := r.heads("app", "main")[".freshetaccess"]; h.Op != contract.OpDelete {
		t.Errorf("the rules are %+v", h)
	}
}

// Each state of the folder hides what it has to; the watcher sees some of them alone.
func TestFolderChangesStepByStep_TheLogHidesAsItDoes(t *testing.T) {
	root := folder(t, "notes")
	r := &rig{t: t, bus: bustest.New(t), cfg: watching(root)}
	g := newGuard(r)
	rules, doc := filepath.Join(root, ".freshetaccess"), filepath.Join(root, "sub", "x.md")
	write(t, rules, only("a"))
	write(t, doc, g.text("a", 0))
	r.start()
	group := "b"
	for i := range 10 {
		write(t, rules, only("nobody"))
		write(t, doc, g.text(group, i+1))
		write(t, rules, only(group))
		if i%2 == 0 {
			g.expectSeen("notes", wt, "sub/x.md", group)
		}
		group = other(group)
	}
	g.expectSeen("notes", wt, "sub/x.md", other(group))
	if got := r.heads("notes", wt)[".freshetaccess"].Access.Texts(); len(got) != 1 {
		t.Errorf("the rules that stand are %q", got)
	}
}

// Somebody closes a folder to a group, writes into it, and asks for a token of what was
// written alone: at once, so that the change of the rules is not seen yet.
func TestHiddenDocumentIsAnnouncedBeforeItsRules_NobodyIsShownIt(t *testing.T) {
	root := folder(t, "notes")
	r := &rig{t: t, bus: bustest.New(t), cfg: watching(root)}
	g := newGuard(r)
	rules, doc := filepath.Join(root, ".freshetaccess"), filepath.Join(root, "sub", "x.md")
	write(t, rules, only("a"))
	write(t, doc, g.text("a", 0))
	r.start()
	group := "b"
	for i := range 10 {
		g.expectSeen("notes", wt, "sub/x.md", other(group))
		write(t, rules, only(group))
		write(t, doc, g.text(group, i+1))
		r.announce(contract.Announce{Paths: []string{doc}})
		group = other(group)
	}
	g.expectSeen("notes", wt, "sub/x.md", other(group))
}

// asOwner is sources where there are rules of access.
func (r *rig) asOwner() map[document.Source]contract.SourceInfo {
	r.t.Helper()
	inbox := contract.InboxOf("admin") + ".sources"
	sub, err := r.bus.Conn().SubscribeSync(inbox)
	must(r.t, err)
	must(r.t, r.bus.Conn().PublishRequest(contract.SubjectSourcesList, inbox, []byte("{}")))
	m, err := sub.NextMsgWithContext(r.t.Context())
	must(r.t, err)
	must(r.t, sub.Unsubscribe())
	var list contract.SourceList
	must(r.t, json.Unmarshal(m.Data, &list))
	out := map[document.Source]contract.SourceInfo{}
	for _, i := range list.Sources {
		out[i.Source] = i
	}
	return out
}

func TestRulesCannotBeUsed_SourceIsClosedAndSaysWhy(t *testing.T) {
	root := folder(t, "notes")
	r := &rig{t: t, bus: bustest.New(t), cfg: watching(root)}
	g := newGuard(r)
	rules := filepath.Join(root, ".freshetaccess")
	write(t, filepath.Join(root, "x.md"), g.text("a", 0))
	write(t, rules, only("a"))
	r.start()
	r.bus.Restrict(g.rules)
	g.expectSeen("notes", wt, "x.md", "a")
	spoil := []struct {
		says string
		do   func()
	}{
		{"names no group", func() { write(t, rules, "rules:\n  - {paths: [x]}\n") }},
		{"at most 16384 bytes", func() { write(t, rules, only("a")+strings.Repeat("#\n", contract.MaxSourceRules/2)) }},
		{".freshetaccess is left out: ", func() {
			must(t, os.Remove(rules))
			must(t, os.Symlink("x.md", rules))
		}},
		{".freshetaccess is left out: not a regular file", func() {
			must(t, os.Remove(rules))
			must(t, os.Mkdir(rules, 0o755))
		}},
		{"cannot be used", func() {
			must(t, os.Remove(rules))
			write(t, rules, "")
		}},
	}
	for _, s := range spoil {
		s.do()
		eventually(t, func() error {
			if said := strings.Join(r.asOwner()["notes"].Degraded, "\n"); !strings.Contains(said, s.says) {
				return fmt.Errorf("it says %q, want %q", said, s.says)
			}
			return nil
		})
		if h := r.heads("notes", wt)["x.md"]; g.sees("a", h) {
			t.Errorf("%s: a sees it, by %q", s.says, h.Access.Texts())
		}
		must(t, os.Remove(rules)) // it may be a link or a folder
		write(t, rules, only("a"))
		g.expectSeen("notes", wt, "x.md", "a")
		if i := r.asOwner()["notes"]; len(i.Degraded) > 0 {
			t.Errorf("mended, and it says %q", i.Degraded)
		}
	}
}

// Editors and tools unlink a file and make it anew: in the moment between, the rules in it
// hold.
func TestRulesAreMadeAnew_TheyHoldInBetween(t *testing.T) {
	root := folder(t, "notes")
	r := &rig{t: t, bus: bustest.New(t), cfg: watching(root)}
	g := newGuard(r)
	rules := filepath.Join(root, ".freshetaccess")
	write(t, filepath.Join(root, "x.md"), g.text("a", 0))
	write(t, rules, only("a"))
	r.start()
	g.expectSeen("notes", wt, "x.md", "a")
	gone := make(chan contract.Op, 64)
	t.Cleanup(r.bus.Files().Observe(func(k bus.FileKey, _, now contract.FileHead) {
		if k.Doc == document.AccessDoc && now.Op != contract.OpPut {
			gone <- now.Op
		}
	}))
	for i := range 4 {
		began := time.Now()
		must(t, os.Remove(rules))
		<-time.After(300 * time.Millisecond) // so that they are looked for meanwhile
		write(t, rules, fmt.Sprintf("%s# %d\n", only("a"), i))
		late := time.Since(began) > 600*time.Millisecond // on a machine as busy as that they may count as taken away
		hash := document.HashOf([]byte(fmt.Sprintf("%s# %d\n", only("a"), i)))
		eventually(t, func() error {
			if h := r.heads("notes", wt)[".freshetaccess"]; h.Hash != hash || len(h.Access.Texts()) != 1 {
				return fmt.Errorf("the rules are %+v", h)
			}
			return nil
		})
		select {
		case op := <-gone:
			if !late {
				t.Errorf("the rules counted as taken away: %s", op)
			}
		default:
		}
	}

	// What stays away is taken away; what it hid is deleted before.
	must(t, os.Remove(filepath.Join(root, "x.md")))
	must(t, os.Remove(rules))
	if op := <-gone; op != contract.OpDelete {
		t.Errorf("taken away, and the log has %s", op)
	}
}

// A file that keeps changing while it is read is not compared: the log has its former text,
// which is for those whom the former rules let see it.
func TestFileKeepsChangingWhileRulesAreLoosened_ItsFormerTextStaysHidden(t *testing.T) {
	root := folder(t, "notes")
	r := &rig{t: t, bus: bustest.New(t), cfg: watching(root)}
	g := newGuard(r)
	rules, doc := filepath.Join(root, ".freshetaccess"), filepath.Join(root, "x.md")
	write(t, doc, g.text("a", 0))
	write(t, rules, only("a"))
	r.start()
	g.expectSeen("notes", wt, "x.md", "a")

	group := "b"
	for i := range 4 {
		stop := restless(t, doc)
		write(t, rules, only(group))
		for range 3 {
			_ = r.refused(contract.Announce{Paths: []string{root}}) // since it keeps changing
		}
		stop()
		write(t, doc, g.text(group, i+1))
		g.expectSeen("notes", wt, "x.md", group)
		eventually(t, func() error {
			if got := r.heads("notes", wt)[".freshetaccess"].Access.Texts(); len(got) != 1 {
				return fmt.Errorf("the rules that hold are %q", got)
			}
			return nil
		})
		group = other(group)
	}
}

// restless has a file grow, and begin anew, all the time until stop is called.
func restless(t *testing.T, path string) (stop func()) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	letters := bytes.Repeat([]byte("x"), 1<<20)
	begun, over := make(chan struct{}), make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		defer func() { _ = file.Close() }()
		for i := 0; ; i++ {
			if at := i % len(letters); at == 0 {
				if _, err := file.WriteAt(letters, 0); err != nil {
					t.Error(err)
				}
				if err := file.Truncate(int64(len(letters)) / 2); err != nil {
					t.Error(err)
				}
			}
			if _, err := file.WriteAt(letters[:1], int64(len(letters)/2+i%len(letters))); err != nil {
				t.Error(err)
			}
			if i == 0 {
				close(begun)
			}
			select {
			case <-over:
				return
			default:
			}
		}
	})
	<-begun
	return sync.OnceFunc(func() {
		close(over)
		writer.Wait()
	})
}
