package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// files returns a whole list, and how many parts it came in.
func (r *rig) files(in contract.FilesRequest) (list []contract.FileEntry, sum contract.FilesSummary, parts int) {
	r.Helper()
	err := client.Files.Each(r.Context(), r.bus.Conn(), in, func(p contract.FilesPart) error {
		if parts++; p.Summary != nil {
			sum = *p.Summary
		}
		list = append(list, p.Files...)
		return nil
	})
	if err != nil {
		r.Fatal(err)
	}
	return list, sum, parts
}

// skip publishes that a document is left out.
func (r *rig) skip(name, reason string, size int64) {
	r.Helper()
	source, path, view := at(name)
	head := contract.FileHead{Path: path, Op: contract.OpSkipped, Size: size, Reason: reason, Collection: document.CollectionCode}
	r.publish(bus.Out{Subject: contract.FileSubject(source, document.DocOf(path), view), Header: head.Header()})
}

func listedPaths(list []contract.FileEntry) (out []string) {
	for _, e := range list {
		out = append(out, string(e.Path))
	}
	return out
}

// Each document is told with how far it has come.
func TestListOfDocuments_TellsHowFarEachHasCome(t *testing.T) {
	r := newRig(t)
	token := r.stored("z/done.go", "package z\n\nfunc Done() {}\n")
	r.write("bad.py", "def bad(): pass\n")
	r.bury(contract.StageChunker, "bad.py", contract.FailureTries)
	r.stored("old.go", "package old\n\nfunc Old() {}\n")
	// Both tables have been read once what was settled is no longer awaited.
	r.search(contract.SearchRequest{Query: "done", Token: "latest"})
	r.write("old.go", "package old\n\nfunc New() {}\n") // on its way
	r.write("tool", "#!/usr/bin/env python3\nprint()\n")
	r.write("gone.go", "package gone\n")
	r.remove("gone.go")
	r.skip("logo.png", "binary", 90)

	list, sum, _ := r.files(contract.FilesRequest{})
	if got, want := listedPaths(list), []string{"bad.py", "old.go", "tool", "z/done.go"}; !slices.Equal(got, want) {
		t.Fatalf("%q is listed, want %q", got, want)
	}
	bad, old, tool, done := list[0], list[1], list[2], list[3]
	if bad.State != contract.FileDead || bad.Stage != contract.StageChunker || bad.Reason != "broken" || bad.Language != "python" {
		t.Errorf("a failed document is %+v", bad)
	}
	if old.State != contract.FilePending || old.Passages != 0 {
		t.Errorf("a document whose edit is on its way is %+v", old)
	}
	if tool.Language != "python" || tool.State != contract.FilePending {
		t.Errorf("a script without an extension is %+v", tool)
	}
	if done.State != contract.FileSearchable || done.Passages == 0 || done.Size != 26 || done.Version != document.Version(token.Seq) {
		t.Errorf("a searchable document is %+v", done)
	}
	if sum.Documents != 4 || sum.Searchable != 1 || sum.Pending != 2 || sum.Dead != 1 || sum.Skipped["binary"] != 1 || !sum.Complete || sum.Passages != done.Passages {
		t.Errorf("it comes to %+v", sum)
	}

	list, sum, _ = r.files(contract.FilesRequest{Show: contract.FilesSkipped})
	if len(list) != 1 || list[0].Path != "logo.png" || list[0].Reason != "binary" || list[0].State != contract.FileSkipped || list[0].Size != 90 || sum.Documents != 1 {
		t.Errorf("left out are %+v, %+v", list, sum)
	}
	list, _, _ = r.files(contract.FilesRequest{Filter: contract.Filter{Languages: []string{"python"}}, Paths: true})
	if got := listedPaths(list); !slices.Equal(got, []string{"bad.py", "tool"}) || list[0].State != "" || list[0].Size != 0 {
		t.Errorf("python documents by name are %+v", list)
	}
	if err := client.Files.Each(t.Context(), r.bus.Conn(), contract.FilesRequest{Filter: contract.Filter{Kinds: []string{"function"}}}, func(contract.FilesPart) error { return nil }); document.KindOf(err) != document.InvalidRequest {
		t.Errorf("kinds: %v", err)
	}
}

// A list that is too long for one message comes in several, in one order; what is
// above the limit is counted.
func TestLongListOfDocuments_ComesWholeAndInOrder(t *testing.T) {
	r := newRig(t)
	const documents = 600
	var want []string
	for i := range documents {
		name := fmt.Sprintf("%03d/%s.txt", i, strings.Repeat("long", 60))
		want = append(want, name)
		r.write(name, "a heron\n")
	}
	list, sum, parts := r.files(contract.FilesRequest{})
	if !slices.Equal(listedPaths(list), want) || parts < 3 || sum.Documents != documents || sum.More != 0 {
		t.Errorf("%d documents in %d parts, %+v", len(list), parts, sum)
	}
	list, sum, _ = r.files(contract.FilesRequest{Limit: 10, Paths: true})
	if !slices.Equal(listedPaths(list), want[:10]) || sum.More != documents-10 || sum.Documents != documents || sum.Bytes != 8*documents {
		t.Errorf("%d documents, %+v", len(list), sum)
	}
}

// A list has what was accepted before it was asked for, and is one state of the
// log: while two documents change places it never has both, or neither.
func TestListOfDocuments_IsOneSnapshot(t *testing.T) {
	r := newRig(t)
	r.write("a.go", "package a\n")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 200 {
			here, there := "a.go", "b.go"
			if i%2 == 1 {
				here, there = there, here
			}
			r.write(there, "package a\n")
			r.remove(here)
		}
	}()
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		token := r.write("mine.go", "package mine\n")
		list, sum, _ := r.files(contract.FilesRequest{Paths: true})
		if len(list) < 2 || sum.Token.Seq < token.Seq {
			t.Fatalf("%q at %s, after %s", listedPaths(list), sum.Token, token)
		}
		for _, e := range list {
			if uint64(e.Version) > sum.Token.Seq {
				t.Fatalf("%s is listed as version %d in the state %s", e.Path, e.Version, sum.Token)
			}
		}
		if i := slices.Index(listedPaths(list), "mine.go"); list[i].Version != document.Version(token.Seq) {
			t.Fatalf("my write is listed as version %d, it is %s", list[i].Version, token)
		}
	}
}
