package watcher_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/watcher"
)

func call[Req, Rep any](r *rig, subject string, req Req) (Rep, error) {
	return rpc.Call[Req, Rep](r.t.Context(), r.bus.Conn(), subject, req)
}

func (r *rig) add(req contract.SourceAdd) (contract.SourceList, error) {
	return call[contract.SourceAdd, contract.SourceList](r, contract.SubjectSourcesAdd, req)
}

func TestToken_CoversAWrittenFile(t *testing.T) {
	root := folder(t, "tok")
	for i := range 50 {
		write(t, filepath.Join(root, fmt.Sprintf("d/f%02d.md", i)), "x")
	}
	r := startRig(t, watching(root))
	for i := range 20 {
		file := filepath.Join(root, "d", fmt.Sprintf("f%02d.md", i))
		text := fmt.Sprint("text ", i)
		write(t, file, text)
		rep := r.announce(contract.Announce{Paths: []string{file}})
		m, err := r.bus.GetLast(t.Context(), contract.StreamFiles, contract.FileSubject("tok", document.DocOf(document.Path(fmt.Sprintf("d/f%02d.md", i))), wt))
		must(t, err)
		for _, head := range m {
			body, err := head.Body(t.Context())
			must(t, err)
			if string(body) != text || rep.Token.Seq < head.Seq {
				t.Errorf("the reply %+v came before %q, the log has %q at %d", rep, text, body, head.Seq)
			}
		}
	}
	// Nothing changed: the token is that of what is there, and nothing is written.
	before := r.lastSeq()
	again := r.announce(contract.Announce{Paths: []string{filepath.Join(root, "d/f49.md")}})
	if h := r.heads("tok", wt)["d/f49.md"]; again.Token.Seq != uint64(h.Version) || again.Changed != 0 || r.lastSeq() != before {
		t.Errorf("%+v, version %d", again, h.Version)
	}
	// A folder covers what was deleted below it.
	must(t, os.Remove(filepath.Join(root, "d/f00.md")))
	rep := r.announce(contract.Announce{Paths: []string{filepath.Join(root, "d")}})
	if h := r.heads("tok", wt)["d/f00.md"]; h.Op != contract.OpDelete || rep.Token.Seq < uint64(h.Version) {
		t.Errorf("%+v, %+v", rep, h)
	}
	must(t, os.RemoveAll(filepath.Join(root, "d")))
	rep = r.announce(contract.Announce{Paths: []string{filepath.Join(root, "d/f01.md")}})
	if h := r.heads("tok", wt)["d/f01.md"]; h.Op != contract.OpDelete || rep.Token.Seq < uint64(h.Version) {
		t.Errorf("%+v, %+v", rep, h)
	}
	write(t, filepath.Join(root, "e.md"), "everything")
	rep = r.announce(contract.Announce{})
	if h := r.heads("tok", wt)["e.md"]; h.Op != contract.OpPut || rep.Token.Seq < uint64(h.Version) || rep.Token.Seq != r.lastSeq() {
		t.Errorf("%+v, %+v", rep, h)
	}
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(root, link))
	write(t, filepath.Join(root, "e.md"), "by a link")
	r.announce(contract.Announce{Paths: []string{filepath.Join(link, "e.md")}})
	r.announce(contract.Announce{Paths: []string{link}})
	for _, bad := range []contract.Announce{
		{Paths: []string{"relative"}}, {Paths: []string{"/nowhere/at/all"}}, {Repository: root}, {Paths: []string{root}, Repository: root},
	} {
		_, err := call[contract.Announce, contract.AnnounceReply](r, contract.SubjectAnnounce, bad)
		if k := document.KindOf(err); k != document.InvalidRequest && k != document.NotFound {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestSourceThatIsRemoved_Goes(t *testing.T) {
	one, two := folder(t, "same"), folder(t, "same")
	write(t, filepath.Join(one, "a.md"), "a")
	write(t, filepath.Join(one, "nul"), "\x00")
	write(t, filepath.Join(two, "b.md"), "b")
	r := startRig(t, watching(one, one))
	l, err := r.add(contract.SourceAdd{Root: two})
	must(t, err)
	if len(l.Sources) != 2 || l.Sources[1].Source != "same-2" || l.Sources[1].Documents != 1 || l.Token.IsZero() {
		t.Errorf("%+v", l)
	}
	again, err := r.add(contract.SourceAdd{Root: two + "/../same"})
	must(t, err)
	if again.Token != l.Token {
		t.Errorf("adding it again gave %v, not %v", again.Token, l.Token)
	}
	l, err = call[contract.SourceRemove, contract.SourceList](r, contract.SubjectSourcesRemove, contract.SourceRemove{Source: "same"})
	must(t, err)
	if len(l.Sources) != 1 || l.Token.Seq != r.lastSeq() {
		t.Errorf("%+v", l)
	}
	for path, h := range r.heads("same", wt) {
		if h.Op != contract.OpDelete {
			t.Errorf("%s is still there: %+v", path, h)
		}
	}
	if m := r.marker("same", wt); m.Count != 0 || uint64(m.Version) != l.Token.Seq {
		t.Errorf("last marker %+v", m)
	}
	before := r.lastSeq()
	write(t, filepath.Join(one, "a.md"), "edited after the removal")
	r.announce(contract.Announce{})
	if r.lastSeq() != before {
		t.Error("a removed source is still followed")
	}
	r.stop()
	r.cfg.Roots = nil
	r.start()
	if got := r.sources(); len(got) != 1 || got["same-2"].Watched {
		t.Errorf("after a restart: %+v", got)
	}
	_, err = call[contract.SourceRemove, contract.SourceList](r, contract.SubjectSourcesRemove, contract.SourceRemove{Source: "same-2"})
	must(t, err)
	for path, h := range r.heads("same-2", wt) {
		if h.Op != contract.OpDelete { // it may not be purged from this table yet
			t.Errorf("%s is still there: %+v", path, h)
		}
	}
}

func TestWrongRoot_IsRefused(t *testing.T) {
	isolateGit(t)
	root := folder(t, "outer")
	write(t, filepath.Join(root, "inner/a.md"), "a")
	write(t, filepath.Join(root, "node_modules/b.md"), "b")
	r := startRig(t, watching(root))
	file := filepath.Join(root, "inner/a.md")
	for _, c := range []struct {
		req  contract.SourceAdd
		kind document.ErrorKind
		says string
	}{
		{contract.SourceAdd{}, document.InvalidRequest, "names no root"},
		{contract.SourceAdd{Root: root + "/none"}, document.NotFound, "does not exist"},
		{contract.SourceAdd{Root: file}, document.InvalidRequest, "is not a folder"},
		{contract.SourceAdd{Root: root + "/inner"}, document.Conflict, `"outer"`},
		{contract.SourceAdd{Root: filepath.Dir(root)}, document.Conflict, `"outer"`},
		{contract.SourceAdd{Root: root, Source: "other"}, document.Conflict, `"outer"`},
		{contract.SourceAdd{Root: t.TempDir(), Source: "outer"}, document.Conflict, root},
		{contract.SourceAdd{Root: t.TempDir(), Source: "Bad Slug"}, document.InvalidRequest, "slug"},
		{contract.SourceAdd{Root: t.TempDir(), Branch: "main"}, document.InvalidRequest, "branch"},
	} {
		_, err := r.add(c.req)
		if document.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %s with %q", c.req, err, c.kind, c.says)
		}
	}
	// What the outer source does not index may be a source of its own.
	if _, err := r.add(contract.SourceAdd{Root: root + "/node_modules"}); err != nil {
		t.Error(err)
	}
	// On a log of its own: beside another watcher it would wait in reserve.
	svc, err := watcher.New(watching(root+"/none"), bustest.New(t), slog.New(slog.DiscardHandler))
	must(t, err)
	if err := svc.Run(t.Context()); document.KindOf(err) != document.NotFound {
		t.Errorf("run: %v", err)
	}
}

// TestAnotherWriter_IsNoticedAndPutRight lets somebody else write the heads that the watcher
// believes to know: it has to notice, and to put them right.
func TestAnotherWriter_IsNoticedAndPutRight(t *testing.T) {
	root := folder(t, "cas")
	write(t, filepath.Join(root, "a.md"), "one")
	r := startRig(t, watching(root))
	for i := range 20 {
		h := r.heads("cas", wt)["a.md"]
		forged := h
		forged.Hash, forged.Time = document.HashOf([]byte("forged")), h.Time
		text := fmt.Sprint("edit ", i)
		write(t, filepath.Join(root, "a.md"), text)
		// The forgery and the watcher race for the next version.
		ack := r.bus.Publish(context.Background(), bus.Out{
			Subject: contract.FileSubject("cas", h.Doc, wt), Header: forged.Header(), Body: []byte("forged"), Expect: uint64(h.Version),
		})[0]
		if ack.Err != nil && !errors.Is(ack.Err, bus.ErrConflict) {
			t.Fatal(ack.Err)
		}
		r.announce(contract.Announce{Paths: []string{filepath.Join(root, "a.md")}})
		r.expect("cas", wt, map[string]string{"a.md": text})
	}
}

func TestEditsDuringTheBulkLoad_AreNotLost(t *testing.T) {
	root := folder(t, "bulk")
	want := map[string]string{}
	for i := range 3000 {
		path := fmt.Sprintf("d%02d/f%04d.go", i%40, i)
		want[path] = fmt.Sprintf("package f%d\n%s", i, strings.Repeat("// text\n", i%50))
		write(t, filepath.Join(root, path), want[path])
	}
	r := startRig(t, watching())
	added := make(chan error, 1)
	go func() {
		_, err := r.add(contract.SourceAdd{Root: root})
		added <- err
	}()
	for i := 0; i < 3000; i += 37 {
		path := fmt.Sprintf("d%02d/f%04d.go", i%40, i)
		if i%2 == 0 {
			want[path] = "package edited"
			write(t, filepath.Join(root, path), want[path])
		} else {
			delete(want, path)
			must(t, os.Remove(filepath.Join(root, path)))
		}
	}
	must(t, <-added)
	r.expect("bulk", wt, want)
}
