package grep

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/trigram"
)

// files is a log that a test writes to.
type files struct {
	*testing.T
	bus *bus.Bus
}

// write publishes a version of a document, or its end.
func (f files) write(path document.Path, op contract.Op, text string) {
	f.Helper()
	head := contract.FileHead{Path: path, Op: op, Size: int64(len(text)), Collection: document.CollectionCode, Time: time.Now()}
	if op == contract.OpPut {
		head.Hash = document.HashOf([]byte(text))
	}
	subject := contract.FileSubject("s", document.DocOf(path), document.Worktree)
	last, err := f.bus.GetLast(f.Context(), contract.StreamFiles, subject)
	if err != nil {
		f.Fatal(err)
	}
	out := bus.Out{Subject: subject, Header: head.Header(), Body: []byte(text)}
	if m := last[subject]; m != nil {
		out.Expect = m.Seq
	}
	if ack := f.bus.Publish(f.Context(), out)[0]; ack.Err != nil {
		f.Fatal(ack.Err)
	}
}

// run searches for walrus, and returns path:line of what is listed.
func (f files) run(scope Scope, until time.Time) (contract.GrepReply, []string) {
	f.Helper()
	last, err := f.bus.LastSeq(f.Context(), contract.StreamFiles)
	if err == nil {
		err = f.bus.Files().Wait(f.Context(), last)
	}
	if err != nil {
		f.Fatal(err)
	}
	g, err := New(f.bus, trigram.New(f.bus, 0), contract.GrepRequest{Pattern: "walrus"}, func(err error) { f.Error(err) })
	if err != nil {
		f.Fatal(err)
	}
	if err := g.Run(f.Context(), scope, until); err != nil {
		f.Fatal(err)
	}
	reply, err := g.Reply()
	if err != nil {
		f.Fatal(err)
	}
	var lines []string
	for _, file := range reply.Files {
		for _, l := range file.Lines {
			lines = append(lines, string(file.Path)+":"+l.Text)
		}
	}
	return reply, lines
}

func anyHead(*contract.FileHead) bool            { return true }
func anyContent(document.Path, []byte) bool      { return true }
func (f files) put(path document.Path, t string) { f.write(path, contract.OpPut, t) }

// The log moves on while the first document is looked at: everything else has been
// read from it by then.
func TestTextGoesWhileOthersAreRead_ItIsNotShown(t *testing.T) {
	f := files{t, bustest.New(t)}
	for _, p := range []document.Path{"a", "deleted", "edited", "emptied", "skipped", "still"} {
		f.put(p, "walrus of "+string(p)+"\n")
	}
	moved := false
	move := func(document.Path, []byte) bool {
		if !moved {
			moved = true
			f.write("deleted", contract.OpDelete, "")
			f.put("edited", "two\nwalrus, edited\n")
			f.put("emptied", "nothing\n")
			f.write("skipped", contract.OpSkipped, "")
			f.put("new", "walrus of new\n")
		}
		return true
	}
	reply, lines := f.run(Scope{Head: anyHead, Content: move}, time.Now().Add(time.Hour))
	want := []string{"a:walrus of a", "edited:walrus, edited", "new:walrus of new", "still:walrus of still"}
	if !slices.Equal(lines, want) || !reply.Complete || reply.Lines != len(want) {
		t.Errorf("complete %t, %d lines %q, want %q", reply.Complete, reply.Lines, lines, want)
	}
}

// A document is written anew between each look at the heads and the reading.
func TestDocumentThatNeverStandsStill_IsToldAsNotSearched(t *testing.T) {
	f := files{t, bustest.New(t)}
	f.put("busy", "walrus 0\n")
	f.put("still", "walrus\n")
	n := 0
	rewrite := func(h *contract.FileHead) bool {
		if h.Path == "busy" {
			n++
			f.put("busy", fmt.Sprintf("walrus %d\n", n))
		}
		return true
	}
	reply, lines := f.run(Scope{Head: rewrite, Content: anyContent}, time.Now().Add(time.Hour))
	if !slices.Equal(lines, []string{"still:walrus"}) || reply.Complete {
		t.Errorf("complete %t, lines %q", reply.Complete, lines)
	}
	if u := reply.Unsearched; len(u) != 1 || u[0].Path != "busy" || u[0].Reason != contract.GrepChanged {
		t.Errorf("not searched: %+v", u)
	}
}

func TestTimeIsUp_AnswerIsToldAsIncomplete(t *testing.T) {
	f := files{t, bustest.New(t)}
	const documents = maxUnsearched + 20
	for i := range documents {
		f.put(document.Path(fmt.Sprintf("f%03d", i)), "walrus\n")
	}
	reply, lines := f.run(Scope{Head: anyHead, Content: anyContent}, time.Now().Add(-time.Second))
	if len(lines) > 0 || reply.Complete || len(reply.Unsearched) != maxUnsearched || reply.MoreUnsearched != documents-maxUnsearched {
		t.Fatalf("complete %t, lines %q, %d not searched and %d more", reply.Complete, lines, len(reply.Unsearched), reply.MoreUnsearched)
	}
	for _, u := range reply.Unsearched {
		if u.Reason != contract.GrepDeadline {
			t.Errorf("%s: %s", u.Path, u.Reason)
		}
	}
}

// The first lines of the answer are kept, in whatever order documents are read.
func TestLinesThatAreListed_AreKept(t *testing.T) {
	j := checked(t, contract.GrepRequest{Pattern: "walrus"})
	k := keep{items: map[bus.FileKey]*item{}, limit: 50, room: 4000}
	const documents = 2000
	for i := documents - 1; i >= 0; i-- {
		it := &item{key: bus.FileKey{Source: "s", Doc: document.DocID(fmt.Sprint(i))}, path: document.Path(fmt.Sprintf("f%04d", i))}
		it.found, _ = j.search(t.Context(), []byte("walrus in a line of some length\n"), k.wants(it))
		k.add(it)
	}
	kept := 0
	for i, it := range k.matches() {
		if it.count != 1 {
			t.Fatalf("%s has %d lines", it.path, it.count)
		}
		if i < k.limit && len(it.lines) != 1 {
			t.Errorf("the line of %s is gone", it.path)
		}
		kept += len(it.lines)
	}
	if kept > documents/2 {
		t.Errorf("%d lines are kept for an answer of %d", kept, k.limit)
	}
}
