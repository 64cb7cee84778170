package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/replay"
)

// modelOf rates a candidate by one feature alone, and then by trees of the
// features "final" and "depth".
func modelOf(base string, trees ...contract.RerankerTree) *contract.Reranker {
	features := []string{base, "final", "depth"}
	return &contract.Reranker{
		Version: contract.RerankerVersion, Features: features, Ranking: replay.RankingName(config.Default().Query.Ranking),
		Classes: []string{"natural", "symbol", "path"}, Passages: 50, Weight: .9, Base: 0, Scale: 1, Trees: append([]contract.RerankerTree{}, trees...),
		Trained: time.Unix(1_790_000_000, 0).UTC(), Merit: contract.RerankerMerit{Measure: "mrr", Tasks: 60, After: 1, P: .01},
	}
}

// deep likes what lies in folders.
func deep() *contract.Reranker {
	return modelOf("final", contract.RerankerTree{Feature: []int{2}, Split: []float64{.5}, Left: []int{^0}, Right: []int{^1}, Value: []float64{0, 10}})
}

// taught is a rig with eight files that answer "rotate the key", of which the one
// that is ranked last lies in folders.
func taught(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	for i := range 7 {
		r.stored(fmt.Sprintf("f%d.go", i), fmt.Sprintf("rotate the key%s\nbeta%d\n", strings.Repeat(" of something else entirely", i), i))
	}
	r.stored("a/b/f7.go", "rotate"+strings.Repeat(" one or another of the many things", 9)+"\n")
	return r
}

func (r *rig) reranker(in contract.RerankerRequest) contract.RerankerReply {
	r.Helper()
	reply, err := r.rerankerOr(in)
	if err != nil {
		r.Fatal(err)
	}
	return reply
}

func (r *rig) rerankerOr(in contract.RerankerRequest) (contract.RerankerReply, error) {
	return client.Reranker.Ask(r.Context(), r.bus.Conn(), in)
}

func TestServedModel_NeedsNoRestart(t *testing.T) {
	r := taught(t)
	// Another process of a team.
	other, err := New(r.cfg, Deps{Bus: r.bus, Analyzer: r.analyzer, Embedder: r.identity, Stores: map[document.Generation]store.Sinks{
		generation: {Lexical: brokenLexical{r.lexical}, Vector: brokenVector{r.vector}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	r.start(other.Run)
	before := r.search(rotate)
	if traced(before, "learned") != nil || before.Hits[7].Path != "a/b/f7.go" {
		t.Fatalf("trace %+v, hits %v", traced(before, "learned"), paths(before))
	}

	served := r.reranker(contract.RerankerRequest{Model: deep()}).Served
	if served == nil || served.Trees != 1 || served.Merit.Tasks != 60 || served.Trouble != "" {
		t.Errorf("%+v", served)
	}
	processes := []*Service{r.svc, other}
	r.agree(processes...)
	for _, svc := range processes {
		after, err := svc.Search(t.Context(), rotate)
		if err != nil {
			t.Fatal(err)
		}
		now := slices.Index(paths(after), "a/b/f7.go")
		if now < 0 || now == 7 {
			t.Errorf("it stands at place %d: %v", now+1, paths(after))
			continue
		}
		if s := after.Hits[now].Signals; s["learned"] < 10 || s["learned_from"] != 8 {
			t.Errorf("signals %v", s)
		}
		if s := traced(after, "learned"); s == nil || s.In != 8 || !strings.Contains(s.Note, "1 trees") {
			t.Errorf("trace %+v", s)
		}
		if !slices.IsSortedFunc(after.Hits, func(a, b contract.Hit) int { return -compareScores(a, b) }) {
			t.Error("the scores do not go with the order")
		}
	}
	off := r.search(without(rotate, "learned"))
	if !slices.Equal(paths(off), paths(before)) || traced(off, "learned").Note != "off" {
		t.Errorf("switched off: %v, was %v", paths(off), paths(before))
	}
	if bare := r.search(without(rotate, "signals")); !strings.Contains(traced(bare, "learned").Note, "left out") {
		t.Errorf("without signals: %+v", traced(bare, "learned"))
	}
	if s := traced(r.search(contract.SearchRequest{Query: "Error: cannot rotate the key: it is gone"}), "learned"); !strings.Contains(s.Note, "class error") {
		t.Errorf("a class that it does not know: %+v", s)
	}
	st, err := r.svc.Status(t.Context())
	if err != nil || st.Reranker == nil || st.Reranker.Merit.After != 1 {
		t.Errorf("status %+v, %v", st.Reranker, err)
	}

	if left := r.reranker(contract.RerankerRequest{Remove: true}); left.Served != nil {
		t.Errorf("%+v", left.Served)
	}
	r.agree(processes...)
	back := r.search(rotate)
	if !slices.Equal(paths(back), paths(before)) || traced(back, "learned") != nil || len(back.Degraded) > 0 {
		t.Errorf("taken back: %v, was %v; degraded %q", paths(back), paths(before), back.Degraded)
	}
}

// agree waits until each process knows the newest model that any of them knows.
// The one that answered a request for a change knows it, and it may be any.
func (r *rig) agree(processes ...*Service) {
	r.Helper()
	newest := uint64(0)
	for _, svc := range processes {
		newest = max(newest, svc.configured.learned.revision())
	}
	for _, svc := range processes {
		if err := svc.configured.learned.reach(r.Context(), newest); err != nil {
			r.Fatal(err)
		}
	}
}

func compareScores(a, b contract.Hit) int {
	switch {
	case a.Score < b.Score:
		return -1
	case a.Score > b.Score:
		return 1
	}
	return 0
}

func TestModel_IsThereAfterTheStart(t *testing.T) {
	r := taught(t)
	r.reranker(contract.RerankerRequest{Model: deep()})
	again, err := New(r.cfg, Deps{Bus: r.bus, Analyzer: r.analyzer, Embedder: r.identity, Stores: map[document.Generation]store.Sinks{
		generation: {Lexical: brokenLexical{r.lexical}, Vector: brokenVector{r.vector}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	r.start(again.Run)
	if err := again.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	reply, err := again.Search(t.Context(), rotate)
	if err != nil || traced(reply, "learned") == nil {
		t.Errorf("%v, trace %+v", err, reply.Trace)
	}
}

func TestUnusableModel_LeavesTheOrderAndDegrades(t *testing.T) {
	r := taught(t)
	before := r.search(rotate)
	for name, c := range map[string]struct{ raw, says string }{
		"not JSON":        {"\x00\x01", "cannot be read"},
		"another version": {`{"version": 99}`, "version 99"},
		"another feature": {`{"version": 1, "features": ["final", "moon"]}`, `"moon"`},
		"other weights":   {`{"version": 1, "features": ["final"], "ranking": "x"}`, "query.ranking"},
	} {
		revision, err := r.bus.Bucket(contract.BucketModels).Put(t.Context(), contract.ModelReranker, []byte(c.raw))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.svc.configured.learned.reach(t.Context(), revision); err != nil {
			t.Fatal(err)
		}
		after := r.search(rotate)
		if !slices.Equal(paths(after), paths(before)) {
			t.Errorf("%s: the order changed: %v", name, paths(after))
		}
		if len(after.Degraded) != 1 || !strings.HasPrefix(after.Degraded[0], "learned: ") || !strings.Contains(after.Degraded[0], c.says) {
			t.Errorf("%s: degraded %q", name, after.Degraded)
		}
		if s := traced(after, "learned"); s == nil || s.Note != "failed" {
			t.Errorf("%s: trace %+v", name, s)
		}
	}
	if st, err := r.svc.Status(t.Context()); err != nil || !strings.Contains(strings.Join(st.Degraded, "\n"), "learned: ") {
		t.Errorf("status: %q, %v", st.Degraded, err)
	}
}

func TestModelThatCannotWork_IsRefused(t *testing.T) {
	r := taught(t)
	for name, change := range map[string]func(*contract.Reranker){
		"another version": func(m *contract.Reranker) { m.Version++ },
		"another feature": func(m *contract.Reranker) { m.Features[1] = "moon" },
		"other weights":   func(m *contract.Reranker) { m.Ranking = "x" },
		"replaces":        func(m *contract.Reranker) { m.Weight = 1 },
		"no passages":     func(m *contract.Reranker) { m.Passages = 0 },
		"a circle":        func(m *contract.Reranker) { m.Trees[0].Left[0] = 0 },
		"no base":         func(m *contract.Reranker) { m.Base = 7 },
	} {
		m := deep()
		change(m)
		if _, err := r.rerankerOr(contract.RerankerRequest{Model: m}); document.KindOf(err) != document.VersionMismatch && document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.rerankerOr(contract.RerankerRequest{Model: deep(), Remove: true}); document.KindOf(err) != document.InvalidRequest {
		t.Error(err)
	}
	if served := r.reranker(contract.RerankerRequest{}).Served; served != nil {
		t.Errorf("%+v", served)
	}
}

// What a model learns from has to be what it meets.
func TestFeaturesOfTheTraining_AreThoseOfTheSearch(t *testing.T) {
	r := newRig(t)
	for i := range 8 {
		r.stored(fmt.Sprintf("lib/part%d.go", i), fmt.Sprintf("func helper%d() { parse(token) }\n\nfunc other%d() { token() }\n", i, i))
	}
	r.stored("lib/token_parser.go", "func parseToken() { next() }\n\nfunc peek() { token() }\n\nfunc skip() { token() }\n")
	r.stored("lib/token_parser_test.go", "func TestParse() { parse(token) }\n")
	c := config.Default().Query
	k := c.MaxK
	names, _ := replay.Features()
	for _, text := range []string{"parseToken", "how is a token parsed"} {
		all := r.search(contract.SearchRequest{Query: text, Text: contract.TextNone, K: &k, Off: []string{"signals", "diversify", "learned"}})
		again := replay.New(text, all.Hits, c.Overfetch, analysis.New(), nil)
		places, rows := again.Best(&c.Ranking, 50)
		at := map[document.ChunkID][]float64{}
		for i, place := range places {
			at[all.Hits[place].ID] = rows[i]
		}
		for f, name := range names {
			m := modelOf(name)
			r.reranker(contract.RerankerRequest{Model: m})
			found := r.search(contract.SearchRequest{Query: text, Text: contract.TextNone, K: &k, Explain: true, Off: []string{"diversify"}})
			for _, h := range found.Hits {
				if want := at[h.ID]; want == nil || h.Signals["learned"] != want[f] {
					t.Errorf("%q: %s of %s is %v, in training %v", text, name, h.Path, h.Signals["learned"], want)
				}
			}
			model, err := replay.NewReranker(m, c.Ranking)
			if err != nil {
				t.Fatal(err)
			}
			first := again.First(&c.Ranking, replay.PerFile{Code: c.PerFile, Docs: c.PerFileDocs}, model)
			want := r.search(contract.SearchRequest{Query: text, Text: contract.TextNone})
			for i := range want.Hits {
				if i >= len(first) || all.Hits[first[i]].ID != want.Hits[i].ID {
					t.Errorf("%q, %s: hit %d is another in training", text, name, i+1)
				}
			}
		}
	}
}
