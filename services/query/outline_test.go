package query

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func (r *rig) outline(in contract.OutlineRequest) contract.OutlineReply {
	r.Helper()
	reply, err := client.Outline.Ask(r.Context(), r.bus.Conn(), in)
	if err != nil {
		r.Fatal(err)
	}
	return reply
}

// What is not cut yet is no empty outline without a word; a token waits for it.
func TestOutlineWhileThePassagesAreMade_SaysSo(t *testing.T) {
	r := newRig(t)
	token := r.write("a.go", "package a\n\nfunc Walrus() {}\n")
	reply := r.outline(contract.OutlineRequest{Path: "a.go"})
	if d := reply.Document; d == nil || !d.Uncut || !d.Pending || d.Total != 3 || !says(reply.Degraded, "still being made") || len(reply.Actions) == 0 {
		t.Errorf("%+v, document %+v", reply, d)
	}
	asked := make(chan contract.OutlineReply)
	go func() {
		reply, err := client.Outline.Ask(t.Context(), r.bus.Conn(), contract.OutlineRequest{Path: "a.go", Token: token.String(), DeadlineMS: 60_000})
		if err != nil {
			t.Error(err)
		}
		asked <- reply
	}()
	for r.svc.counters.outlines.Load() < 2 {
		runtime.Gosched()
	}
	r.cut("a.go")
	if d := (<-asked).Document; d == nil || d.Uncut || d.Version != document.Version(token.Seq) {
		t.Errorf("%+v", d)
	}
	if reply := r.outline(contract.OutlineRequest{Path: "a.go"}); len(reply.Degraded) > 0 || !reply.Document.Pending {
		t.Errorf("%+v", reply)
	}
}

// Nobody makes passages of a version that another one has replaced, however long a
// question waits for them.
func TestVersionIsReplacedWhileItsPassagesAreAwaited_NewestIsAnswered(t *testing.T) {
	r := newRig(t)
	token := r.write("a.go", "package a\n\nfunc Walrus() {}\n")
	asked := make(chan contract.OutlineReply)
	go func() {
		reply, err := client.Outline.Ask(t.Context(), r.bus.Conn(), contract.OutlineRequest{Path: "a.go", Token: token.String(), DeadlineMS: 60_000})
		if err != nil {
			t.Error(err)
		}
		asked <- reply
	}()
	for r.svc.counters.outlines.Load() < 1 {
		runtime.Gosched()
	}
	newest := r.write("a.go", "package a\n\nfunc Narwhal() {}\n")
	r.cut("a.go")
	reply := <-asked
	if d := reply.Document; d == nil || d.Uncut || d.Version != document.Version(newest.Seq) || len(reply.Degraded) > 0 {
		t.Errorf("%+v, document %+v", reply, d)
	}
}

// What is asked again elsewhere gets the passages; an answer that the document is not cut
// yet would be taken for one that waited for them.
func TestServiceStopsWhilePassagesAreAwaited_ItSaysSo(t *testing.T) {
	r := newRig(t)
	token := r.write("a.go", "package a\n\nfunc Walrus() {}\n")
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer stop()
		for stacks := make([]byte, 1<<20); !bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("awaitBody")); {
			runtime.Gosched()
		}
	}()
	reply, err := r.svc.Outline(ctx, contract.OutlineRequest{Path: "a.go", Token: token.String(), DeadlineMS: 60_000})
	if document.KindOf(err) != document.Unavailable {
		t.Errorf("%+v: %v", reply.Document, err)
	}
}

func TestFolder_ListsExactlyWhatItHas(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"pkg/a.go", "pkg/store/b.go", "pkg/store/deep/c.go", "pkgs/d.go", "e.md", "pkg/gone.go", "pkg/both.go", "pkg/both.go@main"} {
		r.write(name, "12345\n")
	}
	r.remove("pkg/gone.go")
	r.file("pkg/logo.png", contract.OpSkipped, "")
	r.write("other:pkg/f.go", "1\n")
	for _, c := range []struct {
		in   contract.OutlineRequest
		want string
		docs int
		size int64
		more int
	}{
		{contract.OutlineRequest{}, "e.md:6 pkg/4:24 pkgs/1:6", 6, 36, 0},
		{contract.OutlineRequest{Path: "pkg"}, "pkg/a.go:6 pkg/both.go:6 pkg/logo.png:0! pkg/store/2:12", 4, 24, 0},
		{contract.OutlineRequest{Path: "pkg/store/"}, "pkg/store/b.go:6 pkg/store/deep/1:6", 2, 12, 0},
		{contract.OutlineRequest{Path: "pkg", Limit: 1}, "pkg/a.go:6", 4, 24, 3},
		{contract.OutlineRequest{Source: "other"}, "pkg/1:2", 1, 2, 0},
		{contract.OutlineRequest{View: "main"}, "pkg/1:6", 1, 6, 0},
	} {
		reply := r.outline(c.in)
		var got []string
		for _, e := range reply.Folder.Entries {
			name := string(e.Path)
			if e.Documents > 0 {
				name += fmt.Sprintf("/%d", e.Documents)
			}
			name += fmt.Sprintf(":%d", e.Size)
			if e.Skipped != "" {
				name += "!"
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != c.want || reply.Folder.Documents != c.docs || reply.Folder.Size != c.size || reply.More != c.more {
			t.Errorf("%+v: %q, %d documents of %d bytes, %d more", c.in, got, reply.Folder.Documents, reply.Folder.Size, reply.More)
		}
	}
}

func TestOutlineOfWhatIsNotThere_IsRefused(t *testing.T) {
	r := newRig(t)
	r.write("pkg/a.go", "x\n")
	for _, c := range []struct {
		in   contract.OutlineRequest
		kind document.ErrorKind
		says string
	}{
		{contract.OutlineRequest{Path: "pkg/b.go"}, document.NotFound, "did you mean pkg/a.go?"},
		{contract.OutlineRequest{Source: "none"}, document.InvalidRequest, `there is no source "none"`},
		{contract.OutlineRequest{Path: "../pkg"}, document.InvalidRequest, "leave it out"},
		{contract.OutlineRequest{Limit: 2001}, document.InvalidRequest, "limit is 2001"},
		{contract.OutlineRequest{Limit: -1}, document.InvalidRequest, "limit is -1"},
	} {
		_, err := client.Outline.Ask(t.Context(), r.bus.Conn(), c.in)
		if document.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v (%s)", c.in, err, document.KindOf(err))
		}
	}
}
