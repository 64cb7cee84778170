package watcher_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher"
)

func TestRescanOrRestart_KeepsDocumentsOfTheAPI(t *testing.T) {
	root := folder(t, "beside")
	write(t, root+"/x.md", "x")
	r := startRig(t, watching(root))
	r.addAPI("kept")
	want := map[string]string{}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() { // rescans all the while
		for {
			select {
			case <-stop:
				return
			default:
				if _, err := call[contract.Announce, contract.AnnounceReply](r, contract.SubjectAnnounce, contract.Announce{}); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	for i := range 50 {
		path := fmt.Sprintf("d%d/f.md", i)
		want[path] = fmt.Sprint("content ", i)
		r.put("kept", text(document.Path(path), want[path]))
	}
	close(stop)
	wg.Wait()
	second := text("f.md", "in a view")
	rep, err := r.tryPut(contract.PutRequest{Source: "kept", View: "release/2", Documents: []contract.PutDocument{second}})
	must(t, err)
	if rep.Documents[0].Op != contract.OpPut {
		t.Errorf("%+v", rep)
	}
	r.expect("kept", wt, want)
	r.stop()
	r.cfg.Roots = nil
	r.start()
	s := r.sources()["kept"]
	if !s.Watched || s.Kind != contract.SourceAPI || s.Documents != 51 {
		t.Errorf("after a restart: %+v", s)
	}
	r.announce(contract.Announce{})
	r.expect("kept", wt, want)
	r.expect("kept", "release/2", map[string]string{"f.md": "in a view"})
	before := r.lastSeq()
	r.announce(contract.Announce{})
	if r.lastSeq() != before {
		t.Error("a rescan without a change wrote something")
	}
	l, err := call[contract.SourceRemove, contract.SourceList](r, contract.SubjectSourcesRemove, contract.SourceRemove{Source: "kept"})
	must(t, err)
	for _, s := range l.Sources {
		if s.Source == "kept" {
			t.Errorf("still registered: %+v", s)
		}
	}
	r.expect("kept", wt, nil)
	r.expect("kept", "release/2", nil)
}

// Removing a source takes away what was put until then, and nothing is
// accepted behind it.
func TestPutDuringTheRemoval_LeavesNothing(t *testing.T) {
	r := startRig(t, watching())
	for round := range 5 {
		r.addAPI("brief")
		var wg sync.WaitGroup
		first := make(chan struct{}, 4)
		for w := range 4 {
			wg.Go(func() {
				for i := 0; ; i++ {
					_, err := r.tryPut(contract.PutRequest{Source: "brief", Documents: []contract.PutDocument{text(document.Path(fmt.Sprintf("%d-%d.md", w, i)), fmt.Sprint(round))}})
					if i == 0 {
						first <- struct{}{}
					}
					if k := document.KindOf(err); k == document.NotFound || k == document.Unavailable {
						return
					} else if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		<-first
		_, err := call[contract.SourceRemove, contract.SourceList](r, contract.SubjectSourcesRemove, contract.SourceRemove{Source: "brief"})
		must(t, err)
		wg.Wait()
		for path, h := range r.heads("brief", wt) {
			if h.Op != contract.OpDelete {
				t.Errorf("%s survived the removal: %+v", path, h)
			}
		}
	}
}

func TestWrongWrite_IsRefused(t *testing.T) {
	root := folder(t, "plain")
	r := startRig(t, watching(root))
	r.addAPI("tickets")
	one := []contract.PutDocument{text("a.md", "a")}
	many := make([]contract.PutDocument, 1001)
	for i := range many {
		many[i] = text(document.Path(fmt.Sprint(i)), "x")
	}
	for _, c := range []struct {
		req  contract.PutRequest
		kind document.ErrorKind
		says string
	}{
		{contract.PutRequest{Source: "nobody", Documents: one}, document.NotFound, "[source_add_api source=nobody]"},
		{contract.PutRequest{Source: "Bad Slug", Documents: one}, document.InvalidRequest, "slug"},
		{contract.PutRequest{Documents: one}, document.InvalidRequest, "slug"},
		{contract.PutRequest{Source: "plain", Documents: one}, document.InvalidRequest, root},
		{contract.PutRequest{Source: "tickets"}, document.InvalidRequest, "no documents"},
		{contract.PutRequest{Source: "tickets", Documents: many}, document.InvalidRequest, "at most 1000"},
		{contract.PutRequest{Source: "tickets", Documents: append(one, one...)}, document.InvalidRequest, "twice"},
		{contract.PutRequest{Source: "tickets", View: " x", Documents: one}, document.InvalidRequest, "view"},
		{contract.PutRequest{Source: "tickets", View: document.View(strings.Repeat("v", 129)), Documents: one}, document.InvalidRequest, "view"},
	} {
		_, err := r.tryPut(c.req)
		if document.KindOf(err) != c.kind || !strings.Contains(document.Coded(err), c.says) {
			t.Errorf("%.80v: %v, want %s with %q", c.req, err, c.kind, c.says)
		}
	}
	both, foreign := text("a.md", "a"), text("a.md", "a")
	both.Content, foreign.Collection = []byte("a"), "films"
	for says, d := range map[string]contract.PutDocument{
		"absolute": text("/a.md", "a"), `".."`: text("a/../../b", "a"), `"."`: text("./b", "a"), `""`: text("a//b", "a"),
		"is empty": text("", "a"), "percent-encoded": text("100%.md", "a"), "shorten": text(document.Path(strings.Repeat("a", 4097)), "a"),
		"one of the two": both, "neither": {Path: "a.md"}, "films": foreign,
	} {
		if got := r.put("tickets", d); got.Error == nil || got.Error.Kind != document.InvalidRequest || !strings.Contains(got.Error.Message, says) {
			t.Errorf("%s: %+v", says, got)
		}
	}
	for _, c := range []struct {
		req  contract.SourceAdd
		kind document.ErrorKind
		says string
	}{
		{contract.SourceAdd{Kind: "api"}, document.InvalidRequest, "slug"},
		{contract.SourceAdd{Kind: "api", Source: "x", Root: root}, document.InvalidRequest, "root"},
		{contract.SourceAdd{Kind: "folder", Root: root}, document.InvalidRequest, "leave it out"},
		{contract.SourceAdd{Kind: "api", Source: "plain"}, document.Conflict, root},
		{contract.SourceAdd{Source: "tickets", Root: t.TempDir()}, document.Conflict, "kind api"},
	} {
		if _, err := r.add(c.req); document.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %s with %q", c.req, err, c.kind, c.says)
		}
	}
	r.addAPI("tickets") // again: nothing happens
}

// Of two watchers one answers, and the other takes over with what was put.
func TestFirstWatcherEnds_ReserveAnswersForTheAPI(t *testing.T) {
	server, first := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	holder := &rig{t: t, bus: first, cfg: watching()}
	holder.start()
	holder.addAPI("shared")
	second, err := server.Connect(t.Context())
	must(t, err)
	t.Cleanup(second.Close)
	log := &signalLog{}
	svc, err := watcher.New(watching(), second, slog.New(slog.NewTextHandler(log, nil)))
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- svc.Run(ctx) }()
	log.wait(t, "waits in reserve")
	for i := range 20 {
		holder.put("shared", text("a.md", fmt.Sprint("by the first ", i)))
	}
	holder.stop()
	log.wait(t, "takes over")
	next := &rig{t: t, bus: second, cfg: watching()}
	eventually(t, func() error {
		_, err := next.tryPut(contract.PutRequest{Source: "shared", Documents: []contract.PutDocument{text("b.md", "by the second")}})
		return err
	})
	next.expect("shared", wt, map[string]string{"a.md": "by the first 19", "b.md": "by the second"})
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Another watcher may write until it notices that it has lost its role. What it
// wrote a moment ago must not make a put seem done.
func TestAnotherWriterChangedIt_PutIsNotCalledUnchanged(t *testing.T) {
	r := startRig(t, watching())
	r.addAPI("wiki")
	for round := range 5 {
		one := r.put("wiki", text("a.md", "ours"))
		// Much else comes before it, so that the head table takes its time.
		var outs []bus.Out
		for i := range 3000 {
			outs = append(outs, theirs("noise", document.Path(fmt.Sprintf("%d-%d.md", round, i)), 0))
		}
		acks := r.bus.Publish(t.Context(), append(outs, theirs("wiki", "a.md", one.Version))...)
		last := acks[len(acks)-1]
		must(t, last.Err)
		if again := r.put("wiki", text("a.md", "ours")); again.Unchanged || uint64(again.Version) <= last.Seq {
			t.Errorf("it was theirs at %d: %+v", last.Seq, again)
		}
	}
}

// theirs is a version that another watcher writes.
func theirs(source document.Source, path document.Path, expect document.Version) bus.Out {
	h := contract.FileHead{
		Source: source, View: wt, Path: path, Op: contract.OpPut, Hash: document.HashOf([]byte("theirs")),
		Size: 6, Collection: document.CollectionDocs, Time: time.Now(),
	}
	return bus.Out{
		Subject: contract.FileSubject(source, document.DocOf(path), wt), Header: h.Header(), Body: []byte("theirs"), Expect: uint64(expect),
	}
}

func TestGivenDocument_IsExplained(t *testing.T) {
	r := startRig(t, with(watching(), func(c *watcher.Config) { c.MaxFileSize = 64 }))
	r.addAPI("tickets")
	put := r.put("tickets", text("a/4711.md", "Heron"))
	r.put("tickets", text("a/.env", "PASSWORD=x"))
	r.put("tickets", text("a/big.md", strings.Repeat("word ", 40)))
	r.put("tickets", text("a/gone.md", "Gannet"))
	_, err := r.tryPut(contract.PutRequest{Source: "tickets", View: "draft", Documents: []contract.PutDocument{text("a/draft.md", "Dunlin")}})
	must(t, err)
	_, err = r.tryDelete(contract.DeleteRequest{Source: "tickets", Documents: []contract.DeleteDocument{{Path: "a/gone.md"}}})
	must(t, err)
	for path, want := range map[string][2]string{
		"a/4711.md": {"logged", fmt.Sprint(put.Version)}, "a/.env": {"skipped", "secret"}, "a/big.md": {"skipped", "the limit is 64"},
		"a/gone.md": {"deleted", "deleted as version"}, "a/draft.md": {"logged", "as it was put"}, "a/no.md": {"missing", "not there"},
		"a": {"folder", "2 documents; 2 paths are left out"}, "": {"folder", "takes documents by request"},
	} {
		e := r.explain(contract.ExplainFile{Source: "tickets", Path: path})
		if string(e.Verdict) != want[0] || !strings.Contains(e.Summary, want[1]) || !e.InStep || e.Source.Source != "tickets" {
			t.Errorf("%s: %+v, want %v", path, e, want)
		}
		if want[0] == "missing" && !strings.Contains(fmt.Sprint(e.Actions), "document_put source=") {
			t.Errorf("%q, %v", e.Next, e.Actions)
		}
	}
}
