package tune

import (
	"fmt"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/replay"
)

// asked makes a question of a group, with candidates best first. The answer is
// in want.
func asked(group, text, want string, paths ...string) Question {
	var hits []contract.Hit
	var shown []eval.Hit
	for i, path := range paths {
		p := document.Path(path)
		hits = append(hits, contract.Hit{
			Source: "s", Path: p, Kind: document.KindBlock, ID: document.NewChunkID("s", p, "", i, 1),
			Channels: map[string]contract.Channel{"lexical": {Rank: i + 1, Score: float64(10*len(paths) - i)}},
		})
		shown = append(shown, eval.Hit{Source: "s", Path: path, StartLine: 1, EndLine: 2})
	}
	return Question{
		Task: eval.Task{ID: text, Group: group, Query: text, Relevant: []eval.Target{{Path: want, Grade: 1}}},
		Hits: shown, Replay: replay.New(text, hits, 75, analysis.New(), nil),
	}
}

func options() Options {
	w := config.Default().Query.Ranking
	w.Stem, w.StemNear, w.PenaltyPower = 0, 0, 0
	return Options{Start: w, PerFile: replay.PerFile{Code: 3, Docs: 5}, Measure: eval.NDCGChunks, Folds: 2, Rounds: 2}
}

// named are questions whose answer is the file of that name.
func named(groups int) []Question {
	var out []Question
	for g := range groups {
		for _, name := range []string{"limiter", "scheduler", "decoder"} {
			out = append(out, asked(fmt.Sprint("repo", g), "how the "+name+" works", name+".go", "server.go", "client.go", name+".go"))
		}
	}
	return out
}

func TestWeightThatDecides_IsFound(t *testing.T) {
	o := options()
	r, err := Run(t.Context(), named(4), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Weights.Stem == 0 || r.After != 1 || r.Before > .6 {
		t.Errorf("stem %v, %v before and %v after", r.Weights.Stem, r.Before, r.After)
	}
	if !r.Better() || r.HeldMean != 1 || r.Held.Tasks != 12 {
		t.Errorf("held back: %v of %d tasks", r.HeldMean, r.Held.Tasks)
	}
	if len(r.Changes) != 1 || r.Changes[0].Key != "stem" {
		t.Errorf("changes %+v", r.Changes)
	}
}

// What decides in one group alone is of no use in the other.
func TestFitToOneRepository_DoesNotPromiseMore(t *testing.T) {
	list := []Question{
		asked("a", "how the limiter works", "limiter.go", "server.go", "limiter.go"),
		asked("b", "what the server does", "limiter.go", "limiter.go", "server.go"),
	}
	r, err := Run(t.Context(), list, options())
	if err != nil {
		t.Fatal(err)
	}
	if r.Better() {
		t.Errorf("%v where the weights were found, %v elsewhere, %v before", r.After, r.HeldMean, r.Before)
	}
}

func TestFewerRepositoriesThanFolds_AreRefused(t *testing.T) {
	if _, err := Run(t.Context(), named(1), options()); document.KindOf(err) != document.InvalidRequest {
		t.Error(err)
	}
}

func TestWeights_AreTriedWithinTheirLimits(t *testing.T) {
	c := config.Default()
	for _, k := range knobs() {
		for _, v := range k.tries(k.get(&c.Query.Ranking)) {
			x := c
			k.set(&x.Query.Ranking, v)
			if err := x.Validate(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestAblation_HasEverySignal(t *testing.T) {
	for key, want := range map[string]bool{
		"definition": true, "stem": true, "penalty_power": true, "saturation": true, "intent": true,
		"stem_near": false, "penalty_test": false, "rank_constant": false, "verbatim": false, "long": false,
	} {
		if slices.Contains(signals, key) != want {
			t.Errorf("%s is a signal: %v, want %v", key, !want, want)
		}
	}
	w := config.Default().Query.Ranking
	list := Ablations(w)
	find := func(name string) config.Ranking {
		at := slices.IndexFunc(list, func(v Variation) bool { return v.Name == name })
		if at < 0 {
			t.Fatalf("there is no %q", name)
		}
		return list[at].Weights
	}
	fused := find("no signal")
	for _, key := range signals {
		k := knobOf(key)
		if k.get(&w) == k.neutral() {
			t.Errorf("%s is off by default: taking it out says nothing", key)
		}
		if k.get(&fused) != k.neutral() {
			t.Errorf("%s counts though no signal should", key)
		}
		if out := Changes(w, find("without "+key)); len(out) != 1 || out[0].Key != key || out[0].To != k.neutral() {
			t.Errorf("without %s: %+v", key, out)
		}
		if only := find("only " + key); k.get(&only) != k.get(&w) {
			t.Errorf("only %s: it is %v, and %v in the whole", key, k.get(&only), k.get(&w))
		}
	}
	if other := find("fusion rrf"); other.Fusion != "rrf" {
		t.Errorf("%+v", other)
	}
}
