package contract_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func FuzzView_ComesBack(f *testing.F) {
	for _, s := range []string{"", "worktree", "release/2.0", "a_b", "Ü", "\xff", "a.b*c>d e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, view string) {
		encoded := contract.EncodeView(document.View(view))
		if strings.ContainsAny(encoded, ".*> \t\r\n=:;") {
			t.Errorf("%q is encoded as %q, which is no subject token", view, encoded)
		}
		again, err := contract.DecodeView(encoded)
		if err != nil || string(again) != view {
			t.Errorf("%q comes back as %q, %v", view, again, err)
		}
	})
}

// A subject that can be read must be the one that its key builds.
func FuzzParseSubject(f *testing.F) {
	for _, s := range []string{
		"", "freshet", "freshet.files.a.b.c", "freshet.files.a.b._2F", "freshet.files.a.b._2f", "freshet.files.a.b._",
		"freshet.chunks.g.s.d", "freshet.vectors.g.s.d", "freshet.indexed.g.lexical.s.d", "freshet.dead.chunker.s.d.b", "freshet.feedback.events.a",
		"freshet.files....", "freshet.files.a.b.c.d", "freshet.indexed.g.lexical.s",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, subject string) {
		k, err := contract.ParseSubject(subject)
		if err != nil {
			return
		}
		var built string
		switch k.Stream {
		case contract.StreamFiles:
			built = contract.FileSubject(k.Source, k.Doc, k.View)
		case contract.StreamDead:
			built = contract.DeadSubject(k.Stage, k.Source, k.Doc, k.Build)
		case contract.StreamFeedback:
			built = contract.FeedbackEventSubject(k.About)
		case contract.StreamAudit:
			built = contract.AuditEntrySubject(k.About)
		default:
			built = contract.OutputHead{Generation: k.Generation, Sink: k.Sink, Source: k.Source, Doc: k.Doc}.Subject(k.Stream)
		}
		if built != subject {
			t.Errorf("%q is read as %+v, which is the subject %q", subject, k, built)
		}
	})
}

func FuzzParseCovers(f *testing.F) {
	for _, s := range []string{"", "worktree=1:", "main=5:aa;worktree=7:bb", "a=b", "a=1", ";", "a=1:;a=2:", "_2F=1:x", "_g0=1:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := contract.ParseCovers(text)
		if err != nil {
			return
		}
		again, err := contract.ParseCovers(c.String())
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%q is read as %v, which comes back as %v, %v", text, c, again, err)
		}
	})
}

func FuzzSplitBody(f *testing.F) {
	f.Add("", []byte(`{"ids":[]}`))
	f.Add("10", []byte(`{"ids":[]}blob`))
	f.Add("-1", []byte(`{}`))
	f.Add("99999999999999999999", []byte(`{}`))
	f.Add("3", []byte(`{}`))
	f.Add("+2", []byte(`{}x`))
	f.Fuzz(func(t *testing.T, length string, body []byte) {
		header := nats.Header{}
		if length != "" {
			header[contract.HeaderMeta] = []string{length}
		}
		var meta json.RawMessage
		blob, err := contract.SplitBody(header, body, &meta)
		if err != nil {
			return
		}
		again, err := contract.JoinBody(header, meta, blob)
		if err != nil {
			t.Fatalf("what was split cannot be joined: %v", err)
		}
		if n, _ := strconv.Atoi(header.Get(contract.HeaderMeta)); !bytes.Equal(again[n:], blob) {
			t.Errorf("blob %q comes back as %q", blob, again[n:])
		}
	})
}

func TestBodyWithBlob_ComesBack(t *testing.T) {
	header := nats.Header{}
	in := contract.ChunksBody{Path: "a.go", Collection: "code", Contents: []document.Content{}}
	blob := []byte("\x00}{ not JSON")
	body, err := contract.JoinBody(header, in, blob)
	if err != nil {
		t.Fatal(err)
	}
	var out contract.ChunksBody
	got, err := contract.SplitBody(header, body, &out)
	if err != nil || !bytes.Equal(got, blob) || !reflect.DeepEqual(in, out) {
		t.Errorf("came back as %+v with %q, %v", out, got, err)
	}
	for _, bad := range []string{"-1", "x", strconv.Itoa(len(body) + 1), "5"} {
		header[contract.HeaderMeta] = []string{bad}
		if _, err := contract.SplitBody(header, body, &out); err == nil {
			t.Errorf("length %s was accepted", bad)
		}
	}
}

// A new chunker or embedder, and only that, gives a new generation; the name
// must not change with a release, or every index is built again.
func TestGeneration_ChangesItsNameWithItsBuildAlone(t *testing.T) {
	got := contract.Generation(document.CollectionCode, "chunker-1", "static-256")
	if want := document.Generation("code-ef8f5a21"); got != want {
		t.Errorf("generation is %s, want %s", got, want)
	}
	for _, other := range []document.Generation{
		contract.Generation(document.CollectionDocs, "chunker-1", "static-256"),
		contract.Generation(document.CollectionCode, "chunker-2", "static-256"),
		contract.Generation(document.CollectionCode, "chunker-1", "static-512"),
		contract.Generation(document.CollectionCode, "chunker-1static-256", ""),
	} {
		if other == got {
			t.Errorf("another build has the same generation %s", got)
		}
	}
}
