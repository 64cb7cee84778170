package query

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func (r *rig) passages(in contract.PassagesRequest) contract.PassagesReply {
	r.Helper()
	reply, err := client.Passages.Ask(r.Context(), r.bus.Conn(), in)
	if err != nil {
		r.Fatal(err)
	}
	return reply
}

func passagesOf(path document.Path, version document.Version) contract.PassagesOf {
	return contract.PassagesOf{Source: "s", Path: path, View: document.Worktree, Version: version}
}

func TestPassagesOfADocument_AreThoseOfItsVersion(t *testing.T) {
	r := newRig(t)
	old := document.Version(r.stored("a.go", "package a\n\nfunc Old() {}\n").Seq)
	text := "package a\n\nfunc New() {}\n"
	now := document.Version(r.stored("a.go", text).Seq)
	r.write("waits.go", "package w\n")
	r.write("bad.py", "def bad(): pass\n")
	r.bury(contract.StageChunker, "bad.py", contract.FailureTries)
	r.search(contract.SearchRequest{Query: "new", Token: "latest"}) // the tables have been read
	r.write("gone.go", "package gone\n")
	r.remove("gone.go")
	list := r.passages(contract.PassagesRequest{Documents: []contract.PassagesOf{
		passagesOf("a.go", now), passagesOf("a.go", old), passagesOf("a.go", 0), passagesOf("waits.go", 0), passagesOf("bad.py", 0), passagesOf("gone.go", 0), passagesOf("never.go", 0),
	}}).Documents
	var got []string
	for _, d := range list {
		got = append(got, string(d.State))
	}
	if want := "there moved there pending failed moved moved"; strings.Join(got, " ") != want {
		t.Fatalf("they are %q, want %q", got, want)
	}
	d := list[0]
	var whole []byte
	for _, p := range d.Passages {
		if !bytes.Equal([]byte(text[p.StartByte:p.EndByte]), []byte(p.Text)) {
			t.Errorf("%+v is no passage of %q", p, text)
		}
		whole = append(whole, p.Text...)
	}
	if d.Version != now || d.Hash != document.HashOf([]byte(text)) || !strings.Contains(string(whole), "func New()") {
		t.Errorf("%+v", d)
	}
	if list[4].Reason != "broken" || list[1].Version != 0 || list[1].Hash != "" {
		t.Errorf("of a failed one %+v is told, and of a former version %+v", list[4], list[1])
	}
	// With a token it waits for what is being cut.
	told := make(chan contract.PassagesReply)
	go func() {
		reply, _ := client.Passages.Ask(r.Context(), r.bus.Conn(), contract.PassagesRequest{Documents: []contract.PassagesOf{passagesOf("waits.go", 0)}, Token: "latest", DeadlineMS: 60_000})
		told <- reply
	}()
	r.cut("waits.go")
	if reply := <-told; len(reply.Documents) != 1 || reply.Documents[0].State != contract.PassagesThere {
		t.Errorf("after the cut it is %+v", reply)
	}
	for _, wrong := range []contract.PassagesOf{{Source: "S S", Path: "a", View: "v"}, {Source: "s", Path: "../a", View: "v"}, {Source: "s", Path: "a", View: "v", From: -1}} {
		if _, err := client.Passages.Ask(t.Context(), r.bus.Conn(), contract.PassagesRequest{Documents: []contract.PassagesOf{wrong}}); document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

// What does not fit into one answer is asked for again, until every passage was told once.
func TestPassagesBeyondOneAnswer_AreEachToldOnce(t *testing.T) {
	r := newRig(t)
	long := strings.Repeat(strings.Repeat("a heron wades through the reeds and waits\n", 40)+"\n", 500)
	texts := map[document.Path]string{"long.txt": long}
	for i := range 9 {
		texts[document.Path(fmt.Sprintf("s%d.txt", i))] = fmt.Sprintf("a heron, %d\n", i)
	}
	var missing []contract.PassagesOf
	for path, text := range texts {
		r.write(string(path), text)
		r.cut(string(path))
		missing = append(missing, passagesOf(path, 0))
	}
	told := map[document.Path]string{}
	answers := 0
	for len(missing) > 0 {
		answers++
		reply := r.passages(contract.PassagesRequest{Documents: missing})
		if n := len(reply.Documents); n == 0 || n+reply.More != len(missing) {
			t.Fatalf("%d documents are told, %d are not, of %d", n, reply.More, len(missing))
		}
		for i, d := range reply.Documents {
			for _, p := range d.Passages {
				told[d.Path] += p.Text
			}
			if d.Next > 0 && i != len(reply.Documents)-1 {
				t.Fatalf("%s goes on, and another follows", d.Path)
			}
			if d.Next > 0 {
				missing[i].From = d.Next
				missing = missing[i:]
			} else if i == len(reply.Documents)-1 {
				missing = missing[i+1:]
			}
		}
	}
	for path, text := range texts {
		if strings.Join(strings.Fields(told[path]), " ") != strings.Join(strings.Fields(text), " ") {
			t.Errorf("%s has %d bytes, and %d are told", path, len(text), len(told[path]))
		}
	}
	if answers < 2 {
		t.Errorf("it took %d answers", answers)
	}
}
