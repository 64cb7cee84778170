package lambdamart

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

// drawn are queries of ten candidates in a random order, of three features: the
// order before, noise, and the truth, which is what a candidate is worth where it
// is above .9.
func drawn(n int, seed uint64) []Query {
	random := rand.New(rand.NewPCG(seed, 7))
	out := make([]Query, n)
	for i := range out {
		for j := range 10 {
			truth, gain := random.Float64(), 0.0
			if truth > .9 {
				gain = 1
			}
			out[i].Rows = append(out[i].Rows, []float64{1 - float64(j)/10, random.Float64(), truth})
			out[i].Gains, out[i].Goals = append(out[i].Gains, gain), append(out[i].Goals, j+1)
		}
	}
	return out
}

func quality(m *Model, queries []Query) float64 {
	scores := make([][]float64, len(queries))
	for i := range queries {
		for _, row := range queries[i].Rows {
			scores[i] = append(scores[i], m.Score(row))
		}
	}
	return meanNDCG(queries, scores)
}

func TestFeatureThatIsTheTruth_IsLearned(t *testing.T) {
	o := DefaultOptions()
	m, err := Train(t.Context(), drawn(200, 1), drawn(50, 2), o)
	if err != nil {
		t.Fatal(err)
	}
	unseen := drawn(100, 3)
	before, after := quality(&Model{Scale: 1}, unseen), quality(&m, unseen)
	if before > .8 || after < .99 {
		t.Errorf("%.3f before, %.3f with %d trees", before, after, len(m.Trees))
	}
	if err := m.Check(3); err != nil {
		t.Error(err)
	}
}

func TestNoise_IsNotLearned(t *testing.T) {
	fit, check := drawn(100, 1), drawn(100, 2)
	for _, list := range [][]Query{fit, check} {
		for i := range list {
			for j := range list[i].Rows {
				list[i].Rows[j] = list[i].Rows[j][:2]
			}
		}
	}
	o := DefaultOptions()
	m, err := Train(t.Context(), fit, check, o)
	if err != nil {
		t.Fatal(err)
	}
	unseen := drawn(400, 3)
	if gain := quality(&m, unseen) - quality(&Model{Scale: 1}, unseen); math.Abs(gain) > .03 {
		t.Errorf("%+.3f of nothing but noise, with %d trees", gain, len(m.Trees))
	}
}

// Three candidates are of the one file that is looked for, and one of another.
func TestGoalOfSeveralCandidates_CountsOnce(t *testing.T) {
	q := Query{Gains: []float64{1, 1, 1, 1}, Goals: []int{1, 1, 1, 2}}
	for i := range 4 {
		q.Rows = append(q.Rows, []float64{1 - float64(i)/4, float64(i / 3)})
	}
	queries := make([]Query, 50)
	for i := range queries {
		queries[i] = q
	}
	m, err := Train(t.Context(), queries, nil, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if before, after := quality(&Model{Scale: 1}, queries), quality(&m, queries); before > .9 || after != 1 {
		t.Errorf("%.3f before, %.3f after", before, after)
	}
}

func TestSameTasks_GiveTheSameModel(t *testing.T) {
	o := DefaultOptions()
	o.Trees = 10
	var first string
	for range 3 {
		m, err := Train(t.Context(), drawn(50, 1), nil, o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(text)
		}
		if string(text) != first || len(m.Trees) != 10 {
			t.Errorf("%d trees: %s, %s before", len(m.Trees), text, first)
		}
	}
}

func TestNothingToLearn_IsNoError(t *testing.T) {
	for _, fit := range [][]Query{nil, {{}}, {{Rows: [][]float64{{1}, {2}}, Gains: []float64{0, 0}, Goals: []int{0, 0}}}} {
		m, err := Train(t.Context(), fit, nil, DefaultOptions())
		if err != nil || len(m.Trees) != 0 {
			t.Errorf("%d trees, %v", len(m.Trees), err)
		}
	}
}

// A model may come from anywhere.
func TestBrokenTree_IsRefused(t *testing.T) {
	good := Tree{Feature: []int{0}, Split: []float64{.5}, Left: []int{^0}, Right: []int{^1}, Value: []float64{1, 2}}
	if err := (&Model{Trees: []Tree{good}}).Check(1); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Tree){
		"no node":         func(x *Tree) { *x = Tree{Value: []float64{1}} },
		"circle":          func(x *Tree) { x.Left = []int{0} },
		"behind the end":  func(x *Tree) { x.Left = []int{1} },
		"no such leaf":    func(x *Tree) { x.Right = []int{^2} },
		"no such feature": func(x *Tree) { x.Feature = []int{1} },
		"below 0":         func(x *Tree) { x.Feature = []int{-1} },
		"no number":       func(x *Tree) { x.Split = []float64{math.NaN()} },
		"no value":        func(x *Tree) { x.Value = []float64{1, math.Inf(1)} },
		"few leaves":      func(x *Tree) { x.Value = []float64{1} },
	} {
		broken := good
		change(&broken)
		if err := (&Model{Trees: []Tree{good, broken}}).Check(1); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if err := (&Model{Base: 1}).Check(1); err == nil {
		t.Error("a base that is not there is accepted")
	}
}
