package watcher_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher"
)

func (r *rig) addAPI(name document.Source) {
	r.t.Helper()
	l, err := r.add(contract.SourceAdd{Kind: contract.SourceAPI, Source: name})
	must(r.t, err)
	for _, s := range l.Sources {
		if s.Source == name && s.Kind == contract.SourceAPI && s.Watched && s.Root == "" && !s.Scanned.IsZero() && !l.Token.IsZero() {
			return
		}
	}
	r.t.Fatalf("the source is listed as %+v", l)
}

func (r *rig) tryPut(req contract.PutRequest) (contract.WriteReply, error) {
	return call[contract.PutRequest, contract.WriteReply](r, contract.SubjectPut, req)
}

func (r *rig) tryDelete(req contract.DeleteRequest) (contract.WriteReply, error) {
	return call[contract.DeleteRequest, contract.WriteReply](r, contract.SubjectDelete, req)
}

// put writes one document and returns what became of it.
func (r *rig) put(source document.Source, d contract.PutDocument) contract.WrittenDocument {
	r.t.Helper()
	rep, err := r.tryPut(contract.PutRequest{Source: source, Documents: []contract.PutDocument{d}})
	must(r.t, err)
	if len(rep.Documents) != 1 || rep.Documents[0].Path != d.Path || rep.Token.Seq < uint64(rep.Documents[0].Version) {
		r.t.Fatalf("%s: %+v", d.Path, rep)
	}
	return rep.Documents[0]
}

func text(path document.Path, content string) contract.PutDocument {
	return contract.PutDocument{Path: path, Text: &content}
}

func ifVersion(d contract.PutDocument, v document.Version) contract.PutDocument {
	d.IfVersion = &v
	return d
}

func TestPutDocument_IsWhatTheLogHas(t *testing.T) {
	r := startRig(t, watching())
	r.addAPI("tickets")
	one := r.put("tickets", text("a/4711.md", "Heron"))
	if one.Op != contract.OpPut || one.Version == 0 || one.Unchanged || one.Error != nil {
		t.Errorf("put: %+v", one)
	}
	r.put("tickets", contract.PutDocument{Path: "%FF%0A odd%25.txt", Content: []byte("by\xffes")})
	r.put("tickets", text("empty.md", ""))
	r.expect("tickets", wt, map[string]string{"a/4711.md": "Heron", "%FF%0A odd%25.txt": "byÿes", "empty.md": ""})
	before := r.lastSeq()
	if again := r.put("tickets", text("a/4711.md", "Heron")); !again.Unchanged || again.Version != one.Version || r.lastSeq() != before {
		t.Errorf("the same again: %+v", again)
	}
	if h := r.heads("tickets", wt)["a/4711.md"]; h.Collection != document.CollectionDocs || !h.Live || h.Commit != "" || h.Size != 5 {
		t.Errorf("head: %+v", h)
	}
	code := text("a/4711.md", "Heron")
	code.Collection = document.CollectionCode
	if moved := r.put("tickets", code); moved.Unchanged {
		t.Errorf("another collection: %+v", moved)
	}
	// A batch answers for each document, in its order.
	rep, err := r.tryPut(contract.PutRequest{Source: "tickets", Documents: []contract.PutDocument{
		text("b.md", "b"), text("../up.md", "up"), text("empty.md", ""), {Path: "none.md"}, text("c.md", "c"),
	}})
	must(t, err)
	d := rep.Documents
	if d[0].Op != contract.OpPut || d[1].Error == nil || !d[2].Unchanged || d[3].Error == nil || d[4].Op != contract.OpPut || rep.Token.Seq != r.lastSeq() {
		t.Errorf("batch: %+v", rep)
	}
	gone, err := r.tryDelete(contract.DeleteRequest{Source: "tickets", Documents: []contract.DeleteDocument{
		{Path: "b.md"}, {Path: "never.md"}, {Path: "a/4711.md"},
	}})
	must(t, err)
	d = gone.Documents
	if d[0].Op != contract.OpDelete || d[0].Unchanged || d[0].Version == 0 || !d[1].Unchanged || d[1].Version != 0 || d[2].Version == 0 || gone.Token.Seq != r.lastSeq() {
		t.Errorf("delete: %+v", gone)
	}
	r.expect("tickets", wt, map[string]string{"%FF%0A odd%25.txt": "byÿes", "empty.md": "", "c.md": "c"})
	if back := r.put("tickets", text("b.md", "b")); back.Unchanged || back.Version <= d[0].Version {
		t.Errorf("put again after its delete: %+v", back)
	}
}

func TestPutContentThatNoFileWouldBe_IsSkipped(t *testing.T) {
	r := startRig(t, with(watching(), func(c *watcher.Config) { c.MaxFileSize = 100 }))
	r.addAPI("inbox")
	for path, c := range map[document.Path]struct{ content, reason string }{
		"a.bin":               {"\x00\x01", "binary"},
		"big.md":              {strings.Repeat("x", 101), "too large: more than 100 bytes"},
		".env":                {"KEY=1", "secret: .env*"},
		"deep/.ssh/known":     {"host", "secret: .ssh/"},
		"key.txt":             {"-----BEGIN PRIVATE KEY-----\n", "secret: private key"},
		"go.sum":              {"a b", "lock file"},
		"app.min.js":          {"a", "minified"},
		"node_modules/own.md": {"named, so it counts", ""},
	} {
		r.put("inbox", text(path, "was fine before"))
		got := r.put("inbox", text(path, c.content))
		want := contract.OpSkipped
		if c.reason == "" {
			want = contract.OpPut
		}
		if got.Op != want || got.Reason != c.reason {
			t.Errorf("%s: %+v, want %s %q", path, got, want, c.reason)
		}
		if h := r.heads("inbox", wt)[string(path)]; h.Op != want {
			t.Errorf("%s: the log has %+v", path, h)
		}
	}
	if s := r.sources()["inbox"]; s.Documents != 1 || s.Skipped != 7 {
		t.Errorf("listed as %+v", s)
	}
}

// A body above what a message of the log may have goes into the object store.
func TestLargePut_IsKeptWhole(t *testing.T) {
	r := startRig(t, with(watching(), func(c *watcher.Config) { c.MaxFileSize = 4 << 20 }))
	r.addAPI("inbox")
	rng := rand.New(rand.NewPCG(1, 2))
	content := make([]byte, 3<<20)
	for i := range content {
		content[i] = " abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ\n"[rng.IntN(64)]
	}
	if d := r.put("inbox", contract.PutDocument{Path: "large.md", Content: content}); d.Op != contract.OpPut {
		t.Errorf("%+v", d)
	}
	r.expect("inbox", wt, map[string]string{"large.md": string(content)})
}

func TestWriterThatHasNotSeenIt_GetsAConflict(t *testing.T) {
	r := startRig(t, watching())
	r.addAPI("wiki")
	refused := func(d contract.WrittenDocument, says string) {
		t.Helper()
		if d.Error == nil || d.Error.Kind != document.Conflict || !strings.Contains(d.Error.Message, says) {
			t.Errorf("want a conflict with %q, got %+v", says, d)
		}
	}
	refused(r.put("wiki", ifVersion(text("a.md", "x"), 7)), "is not there")
	one := r.put("wiki", ifVersion(text("a.md", "one"), 0))
	refused(r.put("wiki", ifVersion(text("a.md", "x"), 0)), "is there already")
	two := r.put("wiki", ifVersion(text("a.md", "two"), one.Version))
	refused(r.put("wiki", ifVersion(text("a.md", "x"), one.Version)), fmt.Sprint(two.Version))
	// A reply was lost: the same request holds.
	if again := r.put("wiki", ifVersion(text("a.md", "two"), one.Version)); !again.Unchanged || again.Version != two.Version {
		t.Errorf("sent again: %+v", again)
	}
	del := func(v document.Version) contract.WrittenDocument {
		t.Helper()
		rep, err := r.tryDelete(contract.DeleteRequest{Source: "wiki", Documents: []contract.DeleteDocument{{Path: "a.md", IfVersion: &v}}})
		must(t, err)
		return rep.Documents[0]
	}
	refused(del(one.Version), fmt.Sprint(two.Version))
	if d := del(two.Version); d.Op != contract.OpDelete {
		t.Errorf("delete: %+v", d)
	}
	r.put("wiki", ifVersion(text("a.md", "born again"), 0))
}

// Each of several writers adds a line to what it read; none may be lost.
func TestSeveralWriters_LoseNoUpdate(t *testing.T) {
	r := startRig(t, watching())
	r.addAPI("board")
	const writers, lines = 4, 15
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for line := 0; line < lines; {
				var have string
				var version document.Version
				subject := contract.FileSubject("board", document.DocOf("log.md"), wt)
				m, err := r.bus.GetLast(t.Context(), contract.StreamFiles, subject)
				if err != nil {
					t.Error(err)
					return
				}
				if head := m[subject]; head != nil {
					body, err := head.Body(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					have, version = string(body), document.Version(head.Seq)
				}
				d := ifVersion(text("log.md", have+fmt.Sprintf("%d-%d\n", w, line)), version)
				rep, err := r.tryPut(contract.PutRequest{Source: "board", Documents: []contract.PutDocument{d}})
				switch {
				case err != nil:
					t.Error(err)
					return
				case rep.Documents[0].Error == nil:
					line++
				case rep.Documents[0].Error.Kind != document.Conflict:
					t.Error(rep.Documents[0].Error)
					return
				}
			}
		})
	}
	wg.Wait()
	h := r.heads("board", wt)["log.md"]
	m, err := r.bus.Get(t.Context(), contract.StreamFiles, uint64(h.Version))
	must(t, err)
	body, err := m.Body(t.Context())
	must(t, err)
	for w := range writers {
		for line := range lines {
			if want := fmt.Sprintf("%d-%d\n", w, line); strings.Count(string(body), want) != 1 {
				t.Errorf("%q stands there %d times", want, strings.Count(string(body), want))
			}
		}
	}
}

// Batches that name the same documents in another order must not wait for each
// other for ever, and every one gets an answer that is so.
func TestBatchesOfTheSamePaths_DoNotBlockEachOther(t *testing.T) {
	r := startRig(t, watching())
	r.addAPI("bulk")
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			for round := range 5 {
				var docs []contract.PutDocument
				for i := range 40 {
					if w%2 == 1 {
						i = 39 - i
					}
					docs = append(docs, text(document.Path(fmt.Sprintf("d%02d.md", i)), fmt.Sprintf("%d %d %d", w, round, i)))
				}
				rep, err := r.tryPut(contract.PutRequest{Source: "bulk", Documents: docs})
				if err != nil {
					t.Error(err)
					return
				}
				for i, d := range rep.Documents {
					if d.Path != docs[i].Path || d.Error != nil || d.Version == 0 || uint64(d.Version) > rep.Token.Seq {
						t.Errorf("%+v of %s", d, rep.Token)
					}
				}
			}
		})
	}
	wg.Wait()
	if n := len(r.heads("bulk", wt)); n != 40 {
		t.Errorf("%d documents", n)
	}
}

// Metadata is a part of the version: it comes with a put, and goes with the next one that
// has none.
func TestAPutWithOtherMetadata_IsANewVersionOfTheSameContent(t *testing.T) {
	r := startRig(t, watching())
	r.addAPI("tickets")
	with := func(m document.Metadata) contract.PutDocument {
		d := text("4711.md", "Heron")
		d.Metadata = m
		return d
	}
	plain := r.put("tickets", with(nil))
	core := r.put("tickets", with(document.Metadata{"team": {"payments", "ops"}, "kind": {"core"}}))
	if core.Unchanged || core.Version <= plain.Version {
		t.Errorf("with metadata: %+v after %+v", core, plain)
	}
	h := r.heads("tickets", wt)["4711.md"]
	if h.Hash != document.HashOf([]byte("Heron")) || h.Metadata != "kind=core&team=ops&team=payments" {
		t.Errorf("the log has %+v", h)
	}
	if again := r.put("tickets", with(document.Metadata{"kind": {"core"}, "team": {"ops", "payments"}})); !again.Unchanged || again.Version != core.Version {
		t.Errorf("the same in another order: %+v", again)
	}
	if none := r.put("tickets", with(nil)); none.Unchanged || none.Version <= core.Version {
		t.Errorf("without: %+v", none)
	}
	if h := r.heads("tickets", wt)["4711.md"]; h.Metadata != "" {
		t.Errorf("the log still has %q", h.Metadata)
	}
	if d := r.put("tickets", with(document.Metadata{"Team": {"x"}})); d.Error == nil || d.Error.Kind != document.InvalidRequest || !strings.Contains(d.Error.Message, `"Team"`) {
		t.Errorf("a key that cannot be: %+v", d)
	}
}

// A reader of changes is told of an end only what they might have seen, so the roles stay.
func TestADocumentWithRolesIsDeleted_ItsEndKeepsTheRolesAlone(t *testing.T) {
	r := startRig(t, watching())
	r.addAPI("tickets")
	d := text("4711.md", "Heron")
	d.Metadata = document.Metadata{"roles": {"lead"}, "team": {"payments"}}
	r.put("tickets", d)
	_, err := r.tryDelete(contract.DeleteRequest{Source: "tickets", Documents: []contract.DeleteDocument{{Path: "4711.md"}}})
	must(t, err)
	if h := r.heads("tickets", wt)["4711.md"]; h.Op != contract.OpDelete || h.Metadata != "roles=lead" {
		t.Errorf("the log has %+v", h)
	}
	if back := r.put("tickets", text("4711.md", "Heron")); back.Op != contract.OpPut || r.heads("tickets", wt)["4711.md"].Metadata != "" {
		t.Errorf("put again: %+v", back)
	}
}
