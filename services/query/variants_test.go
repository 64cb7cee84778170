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

// erase asks for what is deleted, in two wordings.
var erase = contract.SearchRequest{Query: "delete", Variants: []string{"erase"}, Token: "latest", Off: []string{"vector"}, Text: contract.TextFull, Explain: true}

func TestHitThatOnlyAVariantFinds_IsShown(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "package a\n\nfunc Erase() { wipe(disk) }\n")
	r.stored("b.go", "package b\n\nfunc Fill() { write(disk) }\n")
	reply := r.search(erase)
	if len(reply.Hits) != 1 || reply.Hits[0].Symbol != "Erase" || reply.Hits[0].Channels["lexical"].Rank != 1 {
		t.Fatalf("%s, trace %+v", texts(reply), reply.Trace)
	}
	if s := traced(reply, "variants"); s == nil || s.Out != 1 || s.Note != "1: 1 passage that the question did not find" {
		t.Errorf("%+v", s)
	}
	r.stored("c.go", "package c\n\nfunc Tidy() { delete(disk) }\n")
	if reply := r.search(erase); len(reply.Hits) != 2 || reply.Hits[0].Symbol != "Tidy" {
		t.Errorf("the question's own word is not first: %s", texts(reply))
	}
}

// What passages are found by is marked in their excerpts.
func TestExcerpt_ShowsTheWordOfAVariant(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "package a\n\nfunc Walk() {\n"+strings.Repeat("\tstep(forward)\n", 60)+"\terase(trace)\n}\n")
	in := erase
	in.Text = contract.TextExcerpt
	if reply := r.search(in); len(reply.Hits) == 0 || !strings.Contains(reply.Hits[0].Text, "erase(trace)") {
		t.Errorf("%s", texts(reply))
	}
}

func TestSeveralVariants_AreAllSearched(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "package a\n\nfunc Erase() { wipe(disk) }\n")
	r.stored("b.go", "package b\n\nfunc Drop() { table() }\n")
	r.stored("c.go", "package c\n\nfunc Walk() { feet() }\n")
	in := erase
	in.Variants = []string{"erase", "the", "drop the table"} // one without a word that the index keeps
	reply := r.search(in)
	if got := strings.Join(paths(reply), " "); len(reply.Hits) != 2 || strings.Contains(got, "c.go") {
		t.Errorf("%s, trace %+v", got, reply.Trace)
	}
}

func TestVariant_ShowsNoGhost(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "package a\n\nfunc Erase() { wipe(disk) }\n")
	r.stored("b.go", "package b\n\nfunc Drop() { delete(disk) }\n")
	r.remove("a.go")
	for _, next := range []func(){
		func() { r.cut("a.go") },
		func() { r.index("a.go", document.Lexical) },
		func() { r.index("a.go", document.Vector) },
		func() {},
	} {
		if reply := r.search(erase); len(reply.Hits) != 1 || reply.Hits[0].Symbol != "Drop" {
			t.Fatalf("%s", texts(reply))
		}
		next()
	}
}

func TestVariant_FindsWhatIsPending(t *testing.T) {
	r := newRig(t)
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

func TestVariant_KeepsToTheFilter(t *testing.T) {
	r := newRig(t)
	r.stored("in/a.go", "package a\n\nfunc Drop() { erase(disk) }\n")
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

func TestVariantThatFails_LeavesTheAnswer(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "package a\n\nfunc Tidy() { delete(disk) }\n")
	r.stored("b.go", "package b\n\nfunc Erase() { wipe(disk) }\n")
	r.lexical.then = func() { r.lexical.fail(errors.New("connection refused")) }
	reply := r.search(erase)
	if len(reply.Hits) != 1 || reply.Hits[0].Symbol != "Tidy" || len(reply.Degraded) > 0 {
		t.Errorf("%s, degraded %q", texts(reply), reply.Degraded)
	}
	if s := traced(reply, "variants"); s == nil || !strings.HasSuffix(s.Note, "the lexical index did not answer") {
		t.Errorf("%+v", s)
	}
}

func TestVariantBeyondItsTime_IsNotWaitedFor(t *testing.T) {
	r := newRig(t, func(r *rig) { r.cfg.ChannelDeadline = 100 * time.Millisecond })
	r.stored("a.go", "package a\n\nfunc Tidy() { delete(disk) }\n")
	r.vector.hold = func(ctx context.Context) { <-ctx.Done() } // it takes all of the time
	reply := r.search(contract.SearchRequest{Query: "delete", Variants: []string{"erase"}})
	if len(reply.Hits) != 1 || reply.Hits[0].Path != "a.go" || len(reply.Degraded) != 1 || !strings.HasPrefix(reply.Degraded[0], "vector: ") {
		t.Errorf("%s, degraded %q", texts(reply), reply.Degraded)
	}
	if s := traced(reply, "variants"); s == nil || s.Note != "1: not searched in time" {
		t.Errorf("%+v", reply.Trace)
	}
}

func TestVariant_IsSearchedOnlyWhenAsked(t *testing.T) {
	for name, c := range map[string]struct {
		variants []string
		off      []string
		asks     int32
	}{
		"one":           {[]string{"erase"}, nil, 2},
		"several":       {[]string{"erase", "drop"}, nil, 3},
		"none":          {nil, nil, 1},
		"without words": {[]string{"erase"}, []string{"lexical"}, 0},
	} {
		r := newRig(t)
		r.stored("a.go", "package a\n\nfunc Tidy() { delete(disk) }\n")
		var asks atomic.Int32
		r.lexical.then = func() { asks.Add(1) }
		reply := r.search(contract.SearchRequest{Query: "delete", Variants: c.variants, Off: c.off})
		if asks.Load() != c.asks || (traced(reply, "variants") != nil) != (c.asks > 1) {
			t.Errorf("%s: the index was asked %d times, trace %+v", name, asks.Load(), reply.Trace)
		}
	}
}

func TestExplanation_ShowsAVariant(t *testing.T) {
	r := newRig(t)
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
		if s.Stage == "variants" {
			return
		}
	}
	t.Errorf("%+v", x.Search.Trace)
}
