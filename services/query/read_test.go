package query

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func (r *rig) read(in contract.ReadRequest) contract.ReadReply {
	r.Helper()
	reply, err := patient(in.DeadlineMS, func(ms int) (contract.ReadReply, error) {
		in.DeadlineMS = ms
		return client.Read.Ask(r.Context(), r.bus.Conn(), in)
	})
	if err != nil {
		r.Fatal(err)
	}
	return reply
}

// refused asks for what there is not, and fails where the error is another one.
func (r *rig) refused(in contract.ReadRequest, kind document.ErrorKind, says string) {
	r.Helper()
	_, err := client.Read.Ask(r.Context(), r.bus.Conn(), in)
	if document.KindOf(err) != kind || !strings.Contains(err.Error(), says) {
		r.Errorf("%+v: %v (%s), want %s that says %q", in, err, document.KindOf(err), kind, says)
	}
}

// No stage has seen what the log has accepted.
func TestStagesAreStopped_AcceptedWriteIsRead(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "package a\n\nfunc A() {}\n")
	reply := r.read(contract.ReadRequest{Path: "a.go"})
	if reply.Text != "package a\n\nfunc A() {}\n" || reply.Pending || reply.Language != "go" || reply.Source != "s" || reply.View != document.Worktree {
		t.Errorf("%+v", reply)
	}
	text := "one\ntwo\nthree\nfour"
	token := r.write("a.go", text)
	reply = r.read(contract.ReadRequest{Path: "a.go", From: 2, To: 3, Token: token.String()})
	if reply.Text != "two\nthree\n" || reply.From != 2 || reply.To != 3 || reply.Total != 4 || reply.Next != 0 || !reply.Pending {
		t.Errorf("%+v", reply)
	}
	if reply.Hash != document.HashOf([]byte(text)) || reply.Size != int64(len(text)) || reply.Version != document.Version(token.Seq) || reply.Token.Seq < token.Seq {
		t.Errorf("%+v, written was %s", reply, token)
	}
	r.remove("a.go")
	r.refused(contract.ReadRequest{Path: "a.go"}, document.NotFound, "was deleted as version")
}

// A document is overwritten while it is read: each answer is one version as it was
// written, no older than what was accepted before.
func TestWriterEdits_ReadTextIsOfItsVersion(t *testing.T) {
	r := newRig(t)
	var mu sync.Mutex
	written := map[document.Version]string{}
	edit := func(i int) {
		mu.Lock()
		defer mu.Unlock()
		text := strings.Repeat(fmt.Sprintf("edit %d\n", i), 1+i%50)
		written[document.Version(r.write("a.go", text).Seq)] = text
	}
	edit(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 1; i < 300; i++ {
			edit(i)
		}
	}()
	for asked, over := 0, false; !over || asked < 3; asked++ {
		select {
		case <-done:
			over = true
		default:
		}
		mu.Lock()
		before := document.Version(0)
		for v := range maps.Keys(written) {
			before = max(before, v)
		}
		mu.Unlock()
		reply := r.read(contract.ReadRequest{Path: "a.go"})
		mu.Lock()
		want := written[reply.Version]
		mu.Unlock()
		if reply.Text != want || reply.Version < before || uint64(reply.Version) > reply.Token.Seq {
			t.Fatalf("version %d at %s is %q, was written as %q, after %d was accepted", reply.Version, reply.Token, reply.Text, want, before)
		}
	}
}

func TestPathThatIsNone_IsRefusedWithTheNearest(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"pkg/client.go", "pkg/server.go", "cmd/main.go", "other:cmd/main.go", "other:alone.go", "s:branch.go@b", "s:branch.go@a"} {
		r.write(name, "text of "+name+"\n")
	}
	r.file("logo.png", contract.OpSkipped, "")
	for path, says := range map[document.Path]string{
		"pkg/clint.go":      "did you mean pkg/client.go?",
		"client.go":         "did you mean pkg/client.go?",
		"net/pkg/client.go": "did you mean pkg/client.go?",
		"src/server.go":     "did you mean pkg/server.go?",
		"PKG/SERVER.GO":     "did you mean pkg/server.go?",
		"walrus":            `there is no document "walrus"`,
		"logo.png":          "not indexed",
	} {
		r.refused(contract.ReadRequest{Path: path, Source: "s"}, document.NotFound, says)
	}
	r.refused(contract.ReadRequest{Path: "pkg"}, document.InvalidRequest, "pkg is a folder")
	r.refused(contract.ReadRequest{Path: "a.go", Source: "nowhere"}, document.InvalidRequest, `there is no source "nowhere"`)
	r.refused(contract.ReadRequest{Path: "a.go", View: "main"}, document.NotFound, "there is no document")
	// The source other is not watched, and only read by name.
	if got := r.read(contract.ReadRequest{Path: "cmd/main.go"}).Text; got != "text of cmd/main.go\n" {
		t.Errorf("%q", got)
	}
	r.refused(contract.ReadRequest{Path: "alone.go"}, document.NotFound, "there is no document")
	if got := r.read(contract.ReadRequest{Path: "alone.go", Source: "other"}).Text; got != "text of other:alone.go\n" {
		t.Errorf("%q", got)
	}
	if got := r.read(contract.ReadRequest{Path: "branch.go"}).View; got != "a" {
		t.Errorf("view %s", got)
	}
	if got := r.read(contract.ReadRequest{Path: "branch.go", View: "b"}).Text; got != "text of s:branch.go@b\n" {
		t.Errorf("%q", got)
	}
	r.mu.Lock()
	r.sources = append(r.sources, contract.SourceInfo{Source: "other", Kind: contract.SourceFolder, View: document.Worktree, Watched: true})
	r.mu.Unlock()
	r.refused(contract.ReadRequest{Path: "cmd/main.go", Token: "latest"}, document.InvalidRequest, "among them other and s: name the source")
}

// Nothing is cut or left out without a word.
func TestReadThatGoesOn_GivesEachLineOnce(t *testing.T) {
	r := newRig(t)
	r.write("big.txt", noise(5000))
	all, next, asked := "", 1, 0
	for next > 0 {
		reply := r.read(contract.ReadRequest{Path: "big.txt", From: next, Limit: 3000})
		if len(reply.Text) > 128<<10 || reply.Total != 5000 {
			t.Fatalf("%d bytes of %d lines", len(reply.Text), reply.Total)
		}
		all, next, asked = all+reply.Text, reply.Next, asked+1
	}
	if all != noise(5000) || asked < 3 {
		t.Errorf("%d bytes in %d answers", len(all), asked)
	}
	r.write("long.txt", strings.Repeat("<", 9000)+"\nend\xff\n")
	reply := r.read(contract.ReadRequest{Path: "long.txt", To: 1})
	if len(reply.Text) != 4097 || len(reply.Cut) != 1 || reply.Cut[0] != (contract.ReadCut{Line: 1, Left: 9000 - 4096}) || reply.Next != 0 {
		t.Errorf("%d bytes, %+v", len(reply.Text), reply.Cut)
	}
	if reply = r.read(contract.ReadRequest{Path: "long.txt", From: 2}); string(reply.Bytes) != "end\xff\n" || reply.Text != "" {
		t.Errorf("%+v", reply)
	}
	r.write("none.txt", "")
	if reply = r.read(contract.ReadRequest{Path: "none.txt"}); reply.Text != "" || reply.From != 0 || reply.Total != 0 {
		t.Errorf("%+v", reply)
	}
}

// The largest answer that may be asked for fits into a message, whatever the text is.
func TestLargestReadAnswer_FitsIntoAMessage(t *testing.T) {
	r := newRig(t)
	for name, char := range map[string]string{"tags.txt": "<", "control.txt": "\x01", "bytes.txt": "\xff", "plain.txt": "x"} {
		text := strings.Repeat(strings.Repeat(char, 60_000)+"\n", 10)
		r.write(name, text)
		got, next := "", 1
		for next > 0 {
			reply := r.read(contract.ReadRequest{Path: document.Path(name), From: next, MaxBytes: 512 << 10, LineBytes: 64 << 10})
			got, next = got+reply.Text+string(reply.Bytes), reply.Next
		}
		if got != text {
			t.Errorf("%s: %d of %d bytes", name, len(got), len(text))
		}
	}
}

func TestReadRequestThatMakesNoSense_IsRefused(t *testing.T) {
	r := newRig(t)
	r.write("a.go", "one\ntwo\n")
	for says, in := range map[string]contract.ReadRequest{
		"a path is empty":            {},
		"is absolute":                {Path: "/a.go"},
		"the element \"..\"":         {Path: "../a.go"},
		"line 3 is asked for":        {Path: "a.go", From: 3},
		"the lines 2 to 1":           {Path: "a.go", From: 2, To: 1},
		"the lines -1 to 0":          {Path: "a.go", From: -1},
		"limit is 10001":             {Path: "a.go", Limit: 10001},
		"line_bytes is -1":           {Path: "a.go", LineBytes: -1},
		"max_bytes is 524289":        {Path: "a.go", MaxBytes: 512<<10 + 1},
		"deadline_ms is -1":          {Path: "a.go", DeadlineMS: -1},
		"commit \"walrus\" is no id": {Path: "a.go", Commit: "walrus"},
	} {
		r.refused(in, document.InvalidRequest, says)
	}
	if reply := r.read(contract.ReadRequest{Path: "a.go", Commit: "abcd", DeadlineMS: 50}); !says(reply.Degraded, "has not been seen") || len(reply.Actions) == 0 {
		t.Errorf("without the commit: %+v", reply)
	}
}

// What the log does not give is an error, and no empty text.
func TestUnreadableDocument_IsAnError(t *testing.T) {
	r := newRig(t)
	r.write("big.txt", noise(20000))
	m := r.last(contract.StreamFiles, contract.FileSubject("s", document.DocOf("big.txt"), document.Worktree))
	objects, err := r.bus.JetStream().ObjectStore(t.Context(), contract.BucketBodies)
	if err == nil {
		err = objects.Delete(t.Context(), m.Header.Get(contract.HeaderClaim))
	}
	if err != nil {
		t.Fatal(err)
	}
	r.refused(contract.ReadRequest{Path: "big.txt"}, document.Unavailable, "the log does not give the text of big.txt")

	r.write("a.go", "walrus\n")
	m = r.last(contract.StreamFiles, contract.FileSubject("s", document.DocOf("a.go"), document.Worktree))
	head, err := contract.ParseFileHead(m.Subject, m.Seq, m.Header)
	if err != nil {
		t.Fatal(err)
	}
	r.publish(bus.Out{Subject: m.Subject, Header: head.Header(), Body: []byte("that nobody wrote\n"), Expect: m.Seq})
	r.refused(contract.ReadRequest{Path: "a.go"}, document.Unavailable, "the log does not give the text of a.go")

	if _, err := r.bus.JetStream().Publish(t.Context(), m.Subject, []byte("walrus")); err != nil {
		t.Fatal(err)
	}
	r.refused(contract.ReadRequest{Path: "a.go"}, document.Unavailable, "freshet did not write")
}
