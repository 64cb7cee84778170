package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// holdPassages lets no process learn anything more of what CHUNKS has from its
// table, as where that lags behind.
func (r *rig) holdPassages() {
	r.Helper()
	js := r.bus.JetStream()
	stream, err := js.Stream(r.Context(), contract.StreamChunks)
	if err != nil {
		r.Fatal(err)
	}
	followers := stream.ListConsumers(r.Context())
	for c := range followers.Info() {
		if _, err := js.PauseConsumer(r.Context(), contract.StreamChunks, c.Name, time.Now().Add(time.Hour)); err != nil {
			r.Fatal(err)
		}
	}
	if err := followers.Err(); err != nil {
		r.Fatal(err)
	}
}

// A switch of branches takes a file away and brings it back as it was: the same
// content, as other passages. The tables of a busy process come to that at
// different times.
func TestTableOfPassagesLags_ContentThatCameBackIsFound(t *testing.T) {
	r := newRig(t)
	const content = "package a\n\nfunc Erase() { wipe(disk) }\n"
	r.stored("a.go", content)
	ask := contract.SearchRequest{Query: "Erase", Off: []string{"vector"}, Text: contract.TextFull}
	if reply := r.search(ask); len(reply.Hits) != 1 {
		t.Fatalf("%s", texts(reply))
	}
	r.holdPassages()
	r.remove("a.go")
	r.cutUnseen("a.go")
	for _, sink := range document.Sinks {
		r.index("a.go", sink)
	}
	r.write("a.go", content)
	for _, next := range []func(){
		func() {},
		func() { r.cutUnseen("a.go") },
		func() { r.index("a.go", document.Lexical) },
		func() { r.index("a.go", document.Vector) },
	} {
		next()
		if reply := r.search(ask); len(reply.Hits) != 1 {
			t.Errorf("%d hits, pending %+v, degraded %q", len(reply.Hits), reply.Pending, reply.Degraded)
		}
	}
}

// Branches are switched twice: a file goes and comes back as it was. Between the look for
// words in it and the moment in which what was found is held against the log, its passages
// are made anew, under other ids.
func TestPassagesAreMadeAnewWhileTheyAreLookedFor_ContentThatCameBackIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		after string // the stage
		ask   contract.SearchRequest
		taken bool // and not made anew yet
	}{
		"by its words":         {after: "recall", ask: contract.SearchRequest{Query: "Erase", Off: []string{"vector"}}},
		"by what it must hold": {after: "require", ask: contract.SearchRequest{Query: `"wipe(disk)"`, Off: []string{"vector"}}},
		"by a line of it":      {after: "places", ask: contract.SearchRequest{Query: "a.go:3", Off: []string{"vector"}}},

		"by its words, while it has no passages":         {"recall", contract.SearchRequest{Query: "Erase", Off: []string{"vector"}}, true},
		"by what it must hold, while it has no passages": {"require", contract.SearchRequest{Query: `"wipe(disk)"`, Off: []string{"vector"}}, true},
		"by a line of it, while it has no passages":      {"places", contract.SearchRequest{Query: "a.go:3", Off: []string{"vector"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			const content = "package a\n\nfunc Erase() { wipe(disk) }\n"
			r.stored("a.go", content)
			gone := r.remove("a.go")
			r.write("a.go", content)
			e, done := r.svc.turn()
			defer done()
			q := newSearch(t.Context(), e)
			at := slices.IndexFunc(round, func(s stage) bool { return s.name == c.after })
			once := sync.OnceFunc(func() {
				r.cutAbsent("a.go", document.Version(gone.Seq))
				if !c.taken {
					r.cut("a.go")
				}
			})
			q.round = slices.Insert(slices.Clone(round), at+1, stage{name: "between", do: func(context.Context, *search) (report, error) {
				once()
				return report{}, nil
			}})
			c.ask.DeadlineMS, c.ask.Text = 60_000, contract.TextFull
			if err := q.search(t.Context(), c.ask); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(texts(q.reply), "wipe(disk)") {
				t.Errorf("%d hits, pending %+v, degraded %q, trace %+v", len(q.reply.Hits), q.reply.Pending, q.degraded, q.reply.Trace)
			}
		})
	}
}

// cutAbsent publishes for a path that a version of it has no passages.
func (r *rig) cutAbsent(name string, version document.Version) {
	r.Helper()
	source, path, view := at(name)
	subject := contract.ChunksSubject(generation, source, document.DocOf(path))
	_, previous := r.chunks(subject)
	header := contract.OutputHead{Path: path, Covers: contract.Covers{}.With(view, contract.Cover{Version: version})}.Header()
	body, err := contract.JoinBody(header, contract.ChunksBody{Path: path, Collection: document.CollectionCode, Contents: []document.Content{}}, nil)
	if err != nil {
		r.Fatal(err)
	}
	seq := r.publish(bus.Out{Subject: subject, Header: header, Body: body, Expect: previous})
	if err := r.bus.Outputs(contract.StreamChunks).Wait(r.Context(), seq); err != nil {
		r.Fatal(err)
	}
}

// A branch is new, or has a document for the first time: the tables of a busy
// process know of the views of its passages at different times.
func TestTableOfPassagesLags_DocumentOfABranchIsFound(t *testing.T) {
	r := newRig(t)
	r.stored("old.go@main", "package a\n\nfunc Erase() { wipe(disk) }\n")
	r.holdPassages()
	for name, text := range map[string]string{
		"new.go@main": "package a\n\nfunc Erase() { wipe(tape) }\n",
		"old.go@next": "package a\n\nfunc Erase() { wipe(drum) }\n",
	} {
		r.write(name, text)
		r.cutUnseen(name)
		for _, sink := range document.Sinks {
			r.index(name, sink)
		}
	}
	reply := r.search(contract.SearchRequest{Query: "Erase wipe", Text: contract.TextFull})
	for _, want := range []string{"disk", "tape", "drum"} {
		if !strings.Contains(texts(reply), want) {
			t.Errorf("%s is missing, pending %+v, degraded %q, shown:\n%s", want, reply.Pending, reply.Degraded, texts(reply))
		}
	}
}

// More documents are pending than are read for an answer. What did not change
// in them is found by its vector alone.
func TestPendingDocument_IsFoundOrToldAsNotSearched(t *testing.T) {
	r := newRig(t, func(r *rig) { r.cfg.PendingDocuments = 1 })
	names := []string{"a.go", "b.go", "c.go"}
	for i, n := range names {
		r.stored(n, fmt.Sprintf("remove the directory %d\n", i))
	}
	for i, n := range names {
		r.write(n, fmt.Sprintf("remove the directory %d\n\nand more\n", i))
	}
	reply := r.search(contract.SearchRequest{Query: "delete folder", Text: contract.TextFull})
	for i, n := range names {
		told := slices.ContainsFunc(reply.Pending, func(p contract.PendingPath) bool { return string(p.Path) == n && !p.Searched })
		if !told && !strings.Contains(texts(reply), fmt.Sprintf("directory %d", i)) {
			t.Errorf("%s is missing, pending %+v, shown:\n%s", n, reply.Pending, texts(reply))
		}
	}
}
