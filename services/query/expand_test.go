package query

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// wordings has questions searched in n wordings.
func wordings(n int) func(*rig) { return func(r *rig) { r.cfg.Expand.Variants = n } }

var erase = contract.SearchRequest{Query: "delete", Token: "latest", Off: []string{"vector"}, Text: contract.TextFull, Explain: true}

func TestHitThatOnlyAVariantFindsIsLost(t *testing.T) {
	r := newRig(t, wordings(2))
	r.stored("a.go", "package a\n\nfunc Erase() { wipe(disk) }\n")
	r.stored("b.go", "package b\n\nfunc Fill() { write(disk) }\n")
	reply := r.search(erase)
	if len(reply.Hits) != 1 || reply.Hits[0].Symbol != "Erase" || reply.Hits[0].Channels["lexical"].Rank != 1 {
		t.Fatalf("%s, trace %+v", texts(reply), reply.Trace)
	}
	s := traced(reply, "expand")
	if s == nil || s.Out != 1 || !strings.Contains(s.Note, "1 passage that the question did not find") || !strings.HasSuffix(s.Note, "it adds Erase") {
		t.Errorf("%+v", s)
	}
	r.stored("c.go", "package c\n\nfunc Tidy() { delete(disk) }\n")
	if reply := r.search(erase); len(reply.Hits) != 2 || reply.Hits[0].Symbol != "Tidy" {
		t.Errorf("the question's own word is not first: %s", texts(reply))
	}
}

func TestNamesOfTheBestPassagesAreNotSearched(t *testing.T) {
	r := newRig(t, wordings(3))
	r.stored("a.go", "package a\n\nfunc OpenLedger() { invoice() }\n")
	r.stored("b.go", "package b\n\nfunc CloseLedger() { invoice() }\n")
	r.stored("c.go", "package c\n\nfunc Book() { ledger() }\n")
	r.stored("d.go", "package d\n\nfunc Walk() { feet() }\n")
	reply := r.search(contract.SearchRequest{Query: "invoice", Token: "latest", Off: []string{"vector"}, Explain: true})
	if len(reply.Hits) != 3 || reply.Hits[2].Symbol != "Book" {
		t.Errorf("%d hits, trace %+v", len(reply.Hits), reply.Trace)
	}
	if s := traced(reply, "expand"); s == nil || !strings.HasPrefix(s.Note, "names") || !strings.HasSuffix(s.Note, "it adds ledger") {
		t.Errorf("%+v", s)
	}
}

func TestVariantShowsAGhost(t *testing.T) {
	r := newRig(t, wordings(3))
	r.stored("a.go", "package a\n\nfunc Erase() { wipe(disk) }\n")
	r.stored("b.go", "package b\n\nfunc Drop() { delete(disk) }\n")
	r.remove("a.go")
	for _, next := range []func(){
		func() { r.cut("a.go") },
		func() { r.index("a.go", document.Lexical) },
		func() { r.index("a.go", document.Vector) },
		func() {},
	} {
		reply := r.search(erase)
		if len(reply.Hits) != 1 || reply.Hits[0].Symbol != "Drop" {
			t.Fatalf("%s", texts(reply))
		}
		if s := traced(reply, "expand"); s == nil || strings.Contains(strings.ToLower(s.Note), "erase") {
			t.Fatalf("the trace names a word that nothing in the log has: %+v", s)
		}
		next()
	}
}

func TestVariantDoesNotFindWhatIsPending(t *testing.T) {
	r := newRig(t, wordings(2))
	r.stored("a.go", "package a\n\nfunc Fill() { write(disk) }\n")
	r.write("a.go", "package a\n\nfunc Erase() { wipe(disk) }\n")
	for _, next := range []func(){
		func() { r.cut("a.go") },
		func() { r.index("a.go", document.Lexical) },
		func() { r.index("a.go", document.Vector) },
		func() {},
	} {
		if reply := r.search(erase); len(reply.Hits) != 1 || !strings.Contains(reply.Hits[0].Text, "Erase") {
			t.Fatalf("%q, trace %+v", texts(reply), reply.Trace)
		}
		next()
	}
}

func TestVariantLeavesTheFilter(t *testing.T) {
	r := newRig(t, wordings(2))
	r.stored("in/a.go", "package a\n\nfunc Drop() { wipe(disk) }\n")
	r.stored("out/b.go", "package b\n\nfunc Erase() { wipe(disk) }\n")
	r.stored("secret:in/c.go", "package c\n\nfunc Erase() { wipe(disk) }\n")
	for _, filter := range []contract.Filter{{Paths: []string{"in"}}, {Paths: []string{"in/*.go"}}, {Sources: []document.Source{"s"}, Paths: []string{"in"}}} {
		in := erase
		in.Filter = filter
		if reply := r.search(in); len(reply.Hits) != 1 || reply.Hits[0].Symbol != "Drop" {
			t.Errorf("%+v: %s", filter, texts(reply))
		}
	}
}

func TestVariantThatFailsTakesTheAnswerWithIt(t *testing.T) {
	r := newRig(t, wordings(2))
	r.stored("a.go", "package a\n\nfunc Tidy() { delete(disk) }\n")
	r.stored("b.go", "package b\n\nfunc Erase() { wipe(disk) }\n")
	r.lexical.then = func() { r.lexical.fail(errors.New("connection refused")) }
	reply := r.search(erase)
	if len(reply.Hits) != 1 || reply.Hits[0].Symbol != "Tidy" || len(reply.Degraded) > 0 {
		t.Errorf("%s, degraded %q", texts(reply), reply.Degraded)
	}
	if s := traced(reply, "expand"); s == nil || !strings.HasSuffix(s.Note, "the lexical index did not answer") {
		t.Errorf("%+v", s)
	}
}

func TestAnswerWaitsForVariantsBeyondItsTime(t *testing.T) {
	r := newRig(t, wordings(3), func(r *rig) { r.cfg.ChannelDeadline = 100 * time.Millisecond })
	r.stored("a.go", "package a\n\nfunc Tidy() { delete(disk) }\n")
	r.stored("b.go", "package b\n\nfunc Erase() { wipe(disk) }\n")
	r.vector.hold = func(ctx context.Context) { <-ctx.Done() } // it takes all of the time
	reply := r.search(contract.SearchRequest{Query: "delete"})
	if len(reply.Hits) != 1 || reply.Hits[0].Path != "a.go" || len(reply.Degraded) != 1 || !strings.HasPrefix(reply.Degraded[0], "vector: ") {
		t.Errorf("%s, degraded %q", texts(reply), reply.Degraded)
	}
	if s := traced(reply, "expand"); s == nil || s.Note != "not searched in time" {
		t.Errorf("%+v", reply.Trace)
	}
}

func TestVariantIsSearchedWithoutBeingAsked(t *testing.T) {
	for name, c := range map[string]struct {
		n    int
		off  []string
		asks int32
	}{
		"asked":                           {2, nil, 2},
		"switched off by the request":     {2, []string{"expand"}, 1},
		"switched off, as by the default": {1, nil, 1},
		"without words":                   {2, []string{"lexical"}, 0},
	} {
		r := newRig(t, wordings(c.n))
		r.stored("a.go", "package a\n\nfunc Tidy() { delete(disk) }\n")
		var asks atomic.Int32
		r.lexical.then = func() { asks.Add(1) }
		reply := r.search(contract.SearchRequest{Query: "delete", Off: c.off})
		if asks.Load() != c.asks || (traced(reply, "expand") != nil) != (c.asks > 1) {
			t.Errorf("%s: the index was asked %d times, trace %+v", name, asks.Load(), reply.Trace)
		}
	}
}

func TestExplanationHidesAVariant(t *testing.T) {
	r := newRig(t, wordings(2))
	r.stored("a.go", "package a\n\nfunc Erase() { wipe(disk) }\n")
	in := erase
	x := r.explain(contract.ExplainQuery{Source: "s", Path: "a.go", Search: &in})
	if x.Search.Verdict != contract.VerdictFound || !strings.Contains(x.Search.Trace[len(x.Search.Trace)-1].Stage, "assemble") {
		t.Fatalf("%+v", x.Search)
	}
	for _, p := range x.Search.Passages {
		if p.Symbol == "Erase" && !p.Channels["lexical"].Fetched {
			t.Errorf("%+v", p)
		}
	}
	for _, s := range x.Search.Trace {
		if s.Stage == "expand" && strings.HasSuffix(s.Note, "it adds Erase") {
			return
		}
	}
	t.Errorf("%+v", x.Search.Trace)
}
