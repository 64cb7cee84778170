package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func (r *rig) explain(in contract.ExplainQuery) contract.Explanation {
	r.Helper()
	if in.Source == "" {
		in.Source = "s"
	}
	e, err := client.ExplainQuery.Ask(r.Context(), r.bus.Conn(), in)
	if err != nil {
		r.Fatalf("explain %s: %v", in.Path, err)
	}
	if e.Verdict == "" || e.Summary == "" {
		r.Errorf("explain %s says nothing: %+v", in.Path, e)
	}
	return e
}

func (r *rig) why(path document.Path, search contract.SearchRequest) contract.SearchExplanation {
	r.Helper()
	e := r.explain(contract.ExplainQuery{Path: path, Search: &search})
	if e.Search == nil || e.Search.Verdict == "" || e.Search.Summary == "" {
		r.Fatalf("%s: no word about the search: %+v", path, e)
	}
	return *e.Search
}

// states returns the states of the stages, in the order of the pipeline.
func states(e contract.Explanation) string {
	var out []string
	for _, st := range e.Stages {
		out = append(out, string(st.Stage)+" "+st.State)
	}
	return strings.Join(out, ", ")
}

// vectors does the embedder's work on a path: its output is only looked at.
func (r *rig) vectors(name string) {
	r.Helper()
	source, path, _ := at(name)
	m := r.last(contract.StreamChunks, contract.ChunksSubject(generation, source, document.DocOf(path)))
	head, err := contract.ParseOutputHead(m.Subject, m.Seq, m.Header)
	if err != nil {
		r.Fatal(err)
	}
	subject := contract.VectorsSubject(generation, source, document.DocOf(path))
	header := contract.OutputHead{Path: path, Covers: head.Covers, Count: head.Count}.Header()
	body, err := contract.JoinBody(header, contract.VectorsBody{Path: path}, nil)
	if err != nil {
		r.Fatal(err)
	}
	r.publish(bus.Out{Subject: subject, Header: header, Body: body, Expect: seqOf(r.last(contract.StreamVectors, subject))})
}

func TestStageThatIsWaitedFor_IsNamed(t *testing.T) {
	r := newRig(t)
	want := func(verdict contract.Verdict, stages, word string) {
		t.Helper()
		e := r.explain(contract.ExplainQuery{Path: "addr/parse.go"})
		if e.Verdict != verdict || states(e) != stages || !strings.Contains(e.Summary, word) {
			t.Errorf("%s: %s\n%s\nwant %s: %s, …%s…", e.Verdict, e.Summary, states(e), verdict, stages, word)
		}
		for _, st := range e.Stages {
			if st.State == contract.StageWaiting && st.Since.IsZero() {
				t.Errorf("%s waits since never", st.Stage)
			}
		}
	}
	want(contract.VerdictMissing, "", "not in the log")
	r.write("addr/parse.go", parser)
	want(contract.VerdictPending, "chunker waiting, embedder idle, indexer-lexical idle, indexer-vector idle", "waits for the chunker")
	r.cut("addr/parse.go")
	want(contract.VerdictPending, "chunker done, embedder waiting, indexer-lexical waiting, indexer-vector idle", "waits for the embedder")
	r.index("addr/parse.go", document.Lexical)
	r.vectors("addr/parse.go")
	want(contract.VerdictPending, "chunker done, embedder done, indexer-lexical done, indexer-vector waiting", "waits for the indexer-vector")
	r.index("addr/parse.go", document.Vector)
	want(contract.VerdictIndexed, "chunker done, embedder done, indexer-lexical done, indexer-vector done", "3 passages")
	r.remove("addr/parse.go")
	want(contract.VerdictPending, "chunker waiting, embedder idle, indexer-lexical idle, indexer-vector idle", "waits for the chunker")
	r.settle("addr/parse.go")
	r.vectors("addr/parse.go")
	want(contract.VerdictDeleted, "chunker done, embedder done, indexer-lexical done, indexer-vector done", "deleted as version")
}

func TestEveryPassage_IsAccountedForInEachStore(t *testing.T) {
	r := newRig(t)
	token := r.stored("addr/parse.go", parser)
	r.vectors("addr/parse.go")
	e := r.explain(contract.ExplainQuery{Path: "addr/parse.go"})
	if len(e.Chunks) != 3 || len(e.Versions) != 1 || e.Versions[0].Version != document.Version(token.Seq) || e.Token != token {
		t.Fatalf("%+v", e)
	}
	c := e.Chunks[1]
	if c.Symbol != "ParseAddress" || c.StartLine != 3 || c.EndLine != 5 || c.Born != document.Version(token.Seq) || c.Views[0] != document.Worktree {
		t.Errorf("%+v", c)
	}
	for _, c := range e.Chunks {
		for _, sink := range document.Sinks {
			if c.Sinks[sink] != contract.SinkHeld {
				t.Errorf("%s of %s: %s", c.ID, sink, c.Sinks[sink])
			}
		}
	}
	// Behind its back the store loses one that is listed.
	r.unapply(document.Lexical, c.ID)
	e = r.explain(contract.ExplainQuery{Path: "addr/parse.go"})
	if e.Chunks[1].Sinks[document.Lexical] != contract.SinkLost || e.Chunks[0].Sinks[document.Lexical] != contract.SinkHeld || !strings.Contains(e.Summary, "lacks 1 passage") {
		t.Errorf("%s %+v", e.Summary, e.Chunks)
	}
	// The store is exchanged: nothing that is listed counts.
	r.know(document.Lexical, contract.StoreRecord{Lineage: contract.Lineage{Store: "lexical-2"}})
	for e.Verdict != contract.VerdictPending && t.Context().Err() == nil { // the record comes by a watch
		e = r.explain(contract.ExplainQuery{Path: "addr/parse.go"})
	}
	if !strings.Contains(states(e), "indexer-lexical waiting") || e.Chunks[0].Sinks[document.Lexical] != contract.SinkUnlisted {
		t.Errorf("%s\n%+v", states(e), e.Chunks)
	}
}

func TestDeadDocument_IsExplained(t *testing.T) {
	r := newRig(t)
	token := r.write("bad.go", "package bad\n")
	doc := document.DocOf("bad.go")
	dead := contract.DeadHead{
		Stage: contract.StageChunker, Source: "s", Doc: doc, Path: "bad.go", Attempts: 4, Reason: "the parser died",
		Covers: contract.Covering(document.Worktree, contract.Cover{Version: document.Version(token.Seq)}),
	}
	subject := contract.DeadSubject(contract.StageChunker, "s", doc, contract.BuildOf(generation))
	r.publish(bus.Out{Subject: subject, Header: dead.Header(), Body: []byte("{}")})
	e := r.explain(contract.ExplainQuery{Path: "bad.go"})
	if e.Verdict != contract.VerdictFailed || !strings.Contains(e.Summary, "failed at the chunker after 4 tries") || !strings.Contains(e.Summary, "the parser died") {
		t.Errorf("%s: %s", e.Verdict, e.Summary)
	}
	if len(e.Failed) != 1 || !e.Failed[0].Newest || e.Failed[0].FailedAt.IsZero() || e.Failed[0].Versions[document.Worktree] != document.Version(token.Seq) {
		t.Errorf("%+v", e.Failed)
	}
	// A newer version is another matter.
	r.stored("bad.go", "package good\n")
	r.vectors("bad.go")
	if e = r.explain(contract.ExplainQuery{Path: "bad.go"}); e.Verdict != contract.VerdictIndexed || len(e.Failed) != 1 || e.Failed[0].Newest {
		t.Errorf("%s %+v", e.Summary, e.Failed)
	}
}

func TestDocumentsOfAFolder_AddUp(t *testing.T) {
	r := newRig(t)
	r.stored("a/one.go", "one\n")
	r.stored("a/two.go", "two\n")
	r.write("a/b/three.go", "three\n")
	r.remove("a/four.go")
	r.stored("ab/other.go", "other\n")
	e := r.explain(contract.ExplainQuery{Path: "a"})
	got := map[contract.Verdict]int{}
	for _, g := range e.Folder {
		got[g.Verdict] += g.Count
	}
	if want := fmt.Sprint(map[contract.Verdict]int{contract.VerdictIndexed: 2, contract.VerdictPending: 1, contract.VerdictDeleted: 1}); e.Verdict != contract.VerdictFolder || fmt.Sprint(got) != want {
		t.Errorf("%s: %v, want %s", e.Verdict, got, want)
	}
	if e = r.explain(contract.ExplainQuery{}); e.Verdict != contract.VerdictFolder || !strings.Contains(e.Summary, "3 documents are indexed") {
		t.Errorf("%s", e.Summary)
	}
}

// crowd stores n documents that each hold a word more often than others.
func (r *rig) crowd(n int, word string) {
	r.Helper()
	for i := range n {
		r.stored(fmt.Sprintf("crowd/c%03d.go", i), strings.Repeat(word+" ", 5)+fmt.Sprintf("number%d\n", i))
	}
}

func TestStageAtWhichAPassageIsLost_IsNamed(t *testing.T) {
	r := newRig(t, func(r *rig) { r.cfg.Overfetch, r.cfg.MaxOverfetch = 12, 12 })
	r.crowd(40, "heron")
	r.stored("quiet/heron.md.go", "a long text about many other things, of which only one word is heron, and others are reed, pond, silence, morning, water, feather\n")
	r.stored("many.go", "func a() heron\n\nfunc b() heron\n\nfunc c() heron\n\nfunc d() heron\n")
	r.stored("other:a.go", "func pelican() pelican\n")
	r.stored("far.go", "func quicksort(numbers) partition\n")
	r.stored("pair/osprey.go", "func osprey() osprey\n")
	r.stored("pair/b.go", "one osprey among many other words of a long line about quite other matters\n")
	one, three := 1, 3
	for name, c := range map[string]struct {
		path   document.Path
		search contract.SearchRequest
		stage  string
		words  []string
	}{
		"found":    {"quiet/heron.md.go", contract.SearchRequest{Query: "silence morning feather"}, "", []string{"hit 1 of"}},
		"k":        {"pair/b.go", contract.SearchRequest{Query: "osprey", K: &one}, "k", []string{"would be hit 2, and 1 were asked for", "search_more value=2"}},
		"recall":   {"far.go", contract.SearchRequest{Query: "heron"}, "recall", []string{"holds no word of the query", "the first 12 were taken", "search_path path=far.go", "quicksort"}},
		"filter":   {"quiet/heron.md.go", contract.SearchRequest{Query: "heron", Filter: contract.Filter{Paths: []string{"crowd"}}}, "filter", []string{"none of the search's paths"}},
		"language": {"quiet/heron.md.go", contract.SearchRequest{Query: "heron", Filter: contract.Filter{Languages: []string{"python"}}}, "filter", []string{"the language python, and it is go"}},
		"source":   {"quiet/heron.md.go", contract.SearchRequest{Query: "heron", Filter: contract.Filter{Sources: []document.Source{"other"}}}, "filter", []string{"for the source other"}},
		"gate":     {"quiet/heron.md.go", contract.SearchRequest{Query: "silence", MinScore: 9}, "gate", []string{"below the min_score 9", "Lower min_score"}},
		"nowhere":  {"no/such.go", contract.SearchRequest{Query: "heron"}, "index", []string{"it is missing"}},
		"three":    {"many.go", contract.SearchRequest{Query: "func heron", K: &three}, "", []string{"hit"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := r.why(c.path, c.search)
			all := fmt.Sprint(s.Summary, " ", strings.Join(s.Next, " "), s.Actions)
			for _, w := range c.words {
				if !strings.Contains(all, w) {
					t.Errorf("%q lacks %q", all, w)
				}
			}
			if s.Stage != c.stage || (s.Verdict == contract.VerdictFound) != (c.stage == "") || (s.Rank > 0) != (c.stage == "") {
				t.Errorf("%s at %q, rank %d: %s", s.Verdict, s.Stage, s.Rank, s.Summary)
			}
			// The answer itself says the same.
			found := 0
			for i, h := range r.search(c.search).Hits {
				if h.Path == c.path && found == 0 {
					found = i + 1
				}
			}
			if found != s.Rank {
				t.Errorf("explained as hit %d, the answer has it as %d", s.Rank, found)
			}
		})
	}
}

// A rank behind the over-fetch is the one that a deeper search gives.
func TestRankBehindTheOverfetch_IsThatOfADeeperSearch(t *testing.T) {
	r := newRig(t, func(r *rig) { r.cfg.Overfetch, r.cfg.MaxOverfetch = 10, 10 })
	r.crowd(60, "heron")
	r.stored("last.go", strings.Repeat("reed pond morning water feather ", 20)+"heron\n")
	deep := r.why("last.go", contract.SearchRequest{Query: "heron"})
	if len(deep.Passages) != 1 {
		t.Fatalf("%+v", deep.Passages)
	}
	p := deep.Passages[0]
	if p.Channels["lexical"].Rank != 61 || p.Channels["lexical"].Fetched || p.Channels["vector"].Rank == 0 {
		t.Errorf("%+v", p.Channels)
	}
	if len(deep.Terms) != 1 || deep.Terms[0].With != 61 || !deep.Terms[0].Held || deep.Depth != 10 {
		t.Errorf("%+v, depth %d", deep.Terms, deep.Depth)
	}
	if !strings.Contains(strings.Join(deep.Next, " "), "reed") {
		t.Errorf("%q names no word that it holds", deep.Next)
	}
}

func TestHitThatIsHeldBack_IsExplained(t *testing.T) {
	r := newRig(t)
	r.crowd(12, "egret")
	r.stored("many.go", "func egretOne() egret egret egret\n\nfunc egretTwo() egret egret egret\n\nfunc egretThree() egret egret egret\n\nfunc egretFour() egret egret egret\n")
	s := r.why("many.go", contract.SearchRequest{Query: "func egret"})
	lost := map[string]int{}
	for _, p := range s.Passages {
		lost[p.Lost]++
		if p.Lost == "diversify" && !strings.Contains(p.Why, "3 passages of this file") {
			t.Errorf("%+v", p)
		}
	}
	if s.Verdict != contract.VerdictFound || lost[""] != 3 || lost["diversify"] != 1 {
		t.Errorf("%s: %v", s.Summary, lost)
	}
}

func TestPassageOfAnOlderVersion_IsExplained(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "cormorant dives\n\nheron stands\n")
	r.write("a.go", "heron stands\n")
	r.cut("a.go")
	s := r.why("a.go", contract.SearchRequest{Query: "cormorant dives"})
	var old *contract.PassageState
	for i := range s.Passages {
		if s.Passages[i].Lost == "resolve" {
			old = &s.Passages[i]
		}
	}
	if old == nil || !strings.Contains(old.Why, "passage of an older version") || old.Channels["lexical"].Rank != 1 {
		t.Errorf("%s\n%+v", s.Summary, s.Passages)
	}
	r.remove("a.go")
	s = r.why("a.go", contract.SearchRequest{Query: "cormorant dives"})
	if s.Stage != "resolve" || !strings.Contains(s.Summary, "deleted as version") {
		t.Errorf("%s", s.Summary)
	}
}

func TestNewWordOfAPendingDocument_IsExplained(t *testing.T) {
	r := newRig(t)
	r.write("new.go", "func Bittern() booms\n")
	s := r.why("new.go", contract.SearchRequest{Query: "Bittern"})
	if s.Verdict != contract.VerdictFound || s.Passages[0].Channels["pending"].Rank != 1 {
		t.Errorf("%s %+v", s.Summary, s.Passages)
	}
	s = r.why("new.go", contract.SearchRequest{Query: "spoonbill"})
	if s.Stage != "index" || !strings.Contains(s.Summary, "pending") {
		t.Errorf("%s", s.Summary)
	}
}

func TestChannelThatIsDown_IsBlamed(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "heron stands\n")
	r.lexical.fail(errors.New("connection refused"))
	r.vector.fail(errors.New("connection refused"))
	_, err := client.ExplainQuery.Ask(t.Context(), r.bus.Conn(), contract.ExplainQuery{Source: "s", Path: "a.go", Search: &contract.SearchRequest{Query: "heron"}})
	if document.KindOf(err) != document.Unavailable {
		t.Errorf("both down: %v", err)
	}
	r.vector.fail(nil)
	s := r.why("a.go", contract.SearchRequest{Query: "heron", Filter: contract.Filter{Kinds: []string{"function"}}})
	if len(s.Degraded) == 0 || s.Stage != "filter" {
		t.Errorf("%+v", s)
	}
}

// Of a document that others saw before, and see in another branch, somebody who sees its
// newest version alone is told nothing else: no heading, number or failure.
func TestEarlierVersionsAreHidden_ExplanationTellsNothingOfThem(t *testing.T) {
	r := newRig(t)
	r.restrict()
	hidden, shown := document.Metadata{document.MetadataRoles: {"board"}}, document.Metadata{document.MetadataRoles: {"staff"}}
	old := r.describe("plan.go", "func Layoffs() heron\n\nfunc Merger() heron\n", hidden).Seq
	r.settle("plan.go")
	r.bury(contract.StageLexical, "plan.go", contract.FailureRefused)
	r.describe("plan.go", "func Garden() heron\n", shown)

	e, done := r.svc.turn()
	defer done()
	told := func(groups ...string) string {
		sight := r.bus.Visibility().Sight(contract.Principal{Name: "key:k", Role: contract.RoleAsk, Groups: groups})
		x := &explanation{service: e, in: contract.ExplainQuery{Source: "s", Path: "plan.go"}, sight: sight}
		if err := x.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		js, err := json.Marshal(x.Explanation)
		if err != nil {
			t.Fatal(err)
		}
		return string(js)
	}
	for _, mark := range []string{"Layoffs", "Merger", "broken", fmt.Sprint(old)} {
		if got := told("staff"); strings.Contains(got, mark) {
			t.Errorf("%s is told: %s", mark, got)
		}
		if got := told("staff"); !strings.Contains(got, `"verdict":"pending"`) {
			t.Errorf("their own version is explained as %s", got)
		}
	}
	r.settle("plan.go")
	if got := told("staff"); !strings.Contains(got, "Garden") {
		t.Errorf("once it is cut: %s", got)
	}
}
