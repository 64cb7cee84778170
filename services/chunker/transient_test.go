package chunker

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// What passes by may not count against a document at the stage's boundary;
// what is the document's own has to.
func TestPassingTrouble_DoesNotCountAgainstADocument(t *testing.T) {
	srv, b := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()

	// A body above the limit of the claim check: its bytes do not compress.
	var large strings.Builder
	for sum := document.HashOf(nil); large.Len() < 2<<20; sum = document.HashOf([]byte(sum)) {
		large.WriteString(string(sum) + "\n")
	}
	contents := map[document.Path]string{"small.go": goFile(function("One", "first")), "large.txt": large.String(), "wrong.go": goFile()}
	heads := map[document.Path]uint64{}
	for path, text := range contents {
		head := contract.FileHead{Path: path, Op: contract.OpPut, Hash: document.HashOf([]byte(text)), Collection: document.CollectionCode}
		if path == "wrong.go" {
			head.Hash = document.HashOf([]byte("another content"))
		}
		ack := b.Publish(t.Context(), bus.Out{Subject: contract.FileSubject(testSource, document.DocOf(path), document.Worktree), Header: head.Header(), Body: []byte(text)})[0]
		if ack.Err != nil {
			t.Fatal(ack.Err)
		}
		heads[path] = ack.Seq
	}
	for _, c := range []struct {
		name    string
		away    bool // the log is
		ctx     context.Context
		path    document.Path
		passing bool
	}{
		{"the log is away when chunks are published", true, t.Context(), "small.go", true},
		{"the log is away when the content is read", true, t.Context(), "large.txt", true},
		{"the worker is told to stop", false, cancelled, "small.go", true},
		{"the lease is over", false, late, "small.go", true},
		{"the lease is over when the content is read", false, late, "large.txt", true},
		{"the content is another", false, t.Context(), "wrong.go", false},
	} {
		own, err := srv.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		svc, err := New(testConfig(), Deps{Bus: own})
		if err != nil {
			t.Fatal(err)
		}
		m, err := own.Get(t.Context(), contract.StreamFiles, heads[c.path])
		if err != nil {
			t.Fatal(err)
		}
		if c.away {
			own.Conn().Close()
		}
		if err := svc.handle(c.ctx, []*bus.Msg{m})[0]; err == nil || bus.Passing(err) != c.passing {
			t.Errorf("%s: %v passes by: %v", c.name, err, bus.Passing(err))
		}
		svc.cutter.Parsers().Close()
	}
}
