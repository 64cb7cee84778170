package learn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/tune"
	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/lambdamart"
	"github.com/freshet-dev/freshet/services/query/replay"
)

// drawn are tasks of some groups with twelve candidates each, one of which is
// right. kind says what kind of passage the one at a place is.
func drawn(groups, tasks int, kind func(right bool) string) []tune.Question {
	random := rand.New(rand.NewPCG(1, 2))
	var out []tune.Question
	for n := range groups * tasks {
		id := fmt.Sprint("task", n)
		right := random.IntN(12)
		q := tune.Question{Task: eval.Task{
			ID: id, Query: "how it works", Group: fmt.Sprint("group", n%groups),
			Relevant: []eval.Target{{Path: fmt.Sprintf("%s/f%d.go", id, right), Grade: 1}},
		}}
		var hits []contract.Hit
		for i := range 12 {
			p := document.Path(fmt.Sprintf("%s/f%d.go", id, i))
			hits = append(hits, contract.Hit{
				Source: "s", Path: p, Kind: kind(i == right), Collection: document.CollectionCode, ID: document.NewChunkID("s", p, "", 0, 1),
				Channels: map[string]contract.Channel{"lexical": {Rank: i + 1, Score: float64(20 - i)}},
			})
			q.Hits = append(q.Hits, eval.Hit{Source: "s", Path: string(p), StartLine: 1, EndLine: 2})
		}
		q.Replay = replay.New(q.Task.Query, hits, 75, analysis.New(), nil)
		out = append(out, q)
	}
	return out
}

func options() Options {
	return Options{Ranking: config.Default().Query.Ranking, PerFile: replay.PerFile{Code: 3, Docs: 5}, Measure: eval.NDCGChunks, Folds: 5, Train: lambdamart.DefaultOptions()}
}

func tell(right bool) string {
	if right {
		return document.KindType
	}
	return document.KindBlock
}

func TestFeatureThatDecides_IsLearned(t *testing.T) {
	for groups, held := range map[int]string{10: "group", 1: "file"} {
		o := options()
		told := 0
		o.Progress = func(int, int) { told++ }
		r, m, err := Run(t.Context(), drawn(groups, 100/groups, tell), o)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Better() || r.After-r.Before < .1 || r.Paired.P > .01 || r.Held != held || r.Tasks != 100 || told != 6 {
			t.Errorf("%+v", r)
		}
		if m == nil || m.Merit.After != r.After || len(m.Trees) != r.Trees || r.Bytes > contract.MostModel {
			t.Fatalf("%+v", m)
		}
		// Every candidate is of one of the two kinds.
		if !slices.ContainsFunc(r.Uses, func(u Use) bool { return u.Feature == "type" || u.Feature == "block" }) {
			t.Errorf("it looks at %+v", r.Uses)
		}
		if _, err := replay.NewReranker(m, o.Ranking); err != nil {
			t.Error(err)
		}
	}
}

// What is better for one kind of task may be worse for another.
func TestModelThatHarmsOtherQuestions_IsNotServed(t *testing.T) {
	o := options()
	o.Check = drawn(4, 10, func(right bool) string { return tell(!right) })
	r, _, err := Run(t.Context(), drawn(10, 10, tell), o)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Gains() || r.Better() || r.Check.Tasks != 40 || r.Check.After >= r.Check.Before {
		t.Errorf("gains %v, better %v, check %+v", r.Gains(), r.Better(), r.Check)
	}
	o.Check = drawn(4, 10, tell)
	if r, _, err = Run(t.Context(), drawn(10, 10, tell), o); err != nil || !r.Better() || r.Check.After <= r.Check.Before {
		t.Errorf("%v, %+v", err, r.Check)
	}
}

func TestChance_IsNotPromoted(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	r, _, err := Run(t.Context(), drawn(10, 10, func(bool) string { return tell(random.IntN(12) == 0) }), options())
	if err != nil {
		t.Fatal(err)
	}
	if r.Better() {
		t.Errorf("%.3f before, %.3f after, p %v", r.Before, r.After, r.Paired.P)
	}
}

func TestHandfulOfTasks_IsNotTrainedOn(t *testing.T) {
	if _, _, err := Run(t.Context(), drawn(1, LeastTasks-1, tell), options()); document.KindOf(err) != document.InvalidRequest {
		t.Error(err)
	}
}
