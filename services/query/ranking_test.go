package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func (r *rig) ranking(in contract.RankingRequest) *contract.KeptRanking {
	r.Helper()
	reply, err := client.Ranking.Ask(r.Context(), r.bus.Conn(), in)
	if err != nil {
		r.Fatal(err)
	}
	return reply.Kept
}

func (r *rig) state() contract.StatusReply {
	r.Helper()
	s, err := client.Status.Ask(r.Context(), r.bus.Conn(), client.None)
	if err != nil {
		r.Fatal(err)
	}
	return s
}

func scores(reply contract.SearchReply) (out []float64) {
	for _, h := range reply.Hits {
		out = append(out, h.Score)
	}
	return out
}

func degradedBy(sentences []string, what string) bool {
	return slices.ContainsFunc(sentences, func(s string) bool { return strings.HasPrefix(s, what) })
}

// What was tried and kept holds for every question that does not say otherwise, in every
// process, from the answer on, and ends when it is taken back.
func TestKeptWeights_HoldUntilTheyAreTakenBack(t *testing.T) {
	r := taught(t)
	weights := map[string]string{"vector_natural": "0", "stem": "0"}
	configured := r.search(rotate)
	tried := rotate
	tried.Ranking = weights
	want := scores(r.search(tried))
	if slices.Equal(scores(configured), want) {
		t.Fatal("these weights change nothing, so the test proves nothing")
	}
	if kept := r.ranking(contract.RankingRequest{}); kept != nil {
		t.Fatalf("%+v is kept", kept)
	}
	kept := r.ranking(contract.RankingRequest{Ranking: weights, Note: "as it won"})
	if kept == nil || kept.Note != "as it won" || kept.Trouble != "" || time.Since(kept.Time) > time.Hour {
		t.Errorf("%+v is kept", kept)
	}
	if got := scores(r.search(rotate)); !slices.Equal(got, want) {
		t.Errorf("kept, the scores are %v, want %v", got, want)
	}
	if s := r.state(); s.KeptRanking == nil || s.KeptRanking.Ranking["stem"] != "0" {
		t.Errorf("the status says %+v", s.KeptRanking)
	}
	back := rotate // what a question brings counts over what is kept
	back.Ranking = map[string]string{"vector_natural": fmt.Sprint(r.cfg.Ranking.VectorNatural), "stem": fmt.Sprint(r.cfg.Ranking.Stem)}
	if got := scores(r.search(back)); !slices.Equal(got, scores(configured)) {
		t.Errorf("with the configured weights in the question %v, want %v", got, scores(configured))
	}
	if kept := r.ranking(contract.RankingRequest{Remove: true}); kept != nil {
		t.Errorf("taken back, %+v is kept", kept)
	}
	if got := scores(r.search(rotate)); !slices.Equal(got, scores(configured)) {
		t.Errorf("taken back, the scores are %v, want %v", got, scores(configured))
	}
}

func TestKeptThreshold_HoldsWhereTheQuestionLeavesItOpen(t *testing.T) {
	r := taught(t)
	before := r.search(rotate)
	if len(before.Hits) == 0 || before.Confidence == nil {
		t.Fatalf("%+v", before)
	}
	r.ranking(contract.RankingRequest{MinConfidence: 1})
	if got := r.search(rotate); len(got.Hits) > 0 {
		t.Errorf("below the kept threshold %v is listed", paths(got))
	}
	less := rotate
	less.MinConfidence = .0001
	without := rotate
	without.Off = []string{"confidence"}
	for _, in := range []contract.SearchRequest{less, without} {
		if got := r.search(in); len(got.Hits) != len(before.Hits) {
			t.Errorf("%+v lists %v", in, paths(got))
		}
	}
}

// A model was trained behind the weights that held.
func TestKeptWeightsBesideALearnedOrder_ItIsLeftOutAndTold(t *testing.T) {
	r := taught(t)
	r.reranker(contract.RerankerRequest{Model: deep()})
	if got := r.search(rotate); got.Hits[0].Path != "a/b/f7.go" {
		t.Fatalf("%v", paths(got))
	}
	r.ranking(contract.RankingRequest{Ranking: map[string]string{"stem": "0"}})
	if got := r.search(rotate); got.Hits[0].Path == "a/b/f7.go" || !degradedBy(got.Degraded, "learned: ") {
		t.Errorf("%v, degraded %q", paths(got), got.Degraded)
	}
	r.ranking(contract.RankingRequest{Remove: true})
	if got := r.search(rotate); got.Hits[0].Path != "a/b/f7.go" || len(got.Degraded) > 0 {
		t.Errorf("%v, degraded %q", paths(got), got.Degraded)
	}
}

func TestRankingThatCannotHold_IsRefusedAndNothingChanges(t *testing.T) {
	r := taught(t)
	r.ranking(contract.RankingRequest{MinConfidence: .01})
	for want, in := range map[string]contract.RankingRequest{
		"did you mean stem":      {Ranking: map[string]string{"stm": "1"}},
		"stem":                   {Ranking: map[string]string{"stem": "much"}},
		"choose 0 to 1":          {MinConfidence: 2},
		"send one of them":       {MinConfidence: .5, Remove: true},
		"min_confidence is -0.5": {MinConfidence: -.5},
	} {
		_, err := client.Ranking.Ask(t.Context(), r.bus.Conn(), in)
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", in, err, want)
		}
	}
	if kept := r.ranking(contract.RankingRequest{}); kept == nil || kept.MinConfidence != .01 {
		t.Errorf("%+v is kept", kept)
	}
}

// What an earlier or later version kept may name what this one does not know.
func TestWhatIsKeptIsNotUnderstood_ItIsAsConfiguredAndTold(t *testing.T) {
	r := taught(t)
	before := scores(r.search(rotate))
	for _, raw := range []string{`{"ranking":{"gone":"1"},"time":"2026-11-28T10:05:00Z"}`, `no JSON`, `{"min_confidence":7,"time":"2026-11-28T10:05:00Z"}`} {
		revision, err := r.bus.Bucket(contract.BucketModels).Put(t.Context(), contract.ModelRanking, []byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.svc.configured.keeping.reach(t.Context(), revision); err != nil {
			t.Fatal(err)
		}
		if got := scores(r.search(rotate)); !slices.Equal(got, before) {
			t.Errorf("%s: the scores are %v, want %v", raw, got, before)
		}
		s := r.state()
		if s.KeptRanking == nil || s.KeptRanking.Trouble == "" || !degradedBy(s.Degraded, "ranking: ") {
			t.Errorf("%s: the status says %+v, degraded %q", raw, s.KeptRanking, s.Degraded)
		}
	}
	if kept := r.ranking(contract.RankingRequest{Remove: true}); kept != nil {
		t.Errorf("%+v is kept", kept)
	}
}
