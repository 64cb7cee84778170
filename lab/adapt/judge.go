package adapt

import (
	"cmp"
	"context"
	"slices"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/embed/static/train"
)

// deepest is the rank up to which an answer is kept; what comes later has next to
// no part in any figure.
const deepest = 100

// judged are the measures that are told; the first one decides.
var judged = []eval.Measure{eval.MRR, eval.Recall, eval.Hit1}

// answers are what the rows find for questions among passages.
func (b *book) answers(ctx context.Context, rows []float32, list []question, among []int) ([]eval.Answer, error) {
	bags := make([]static.Bag, len(among))
	for i, p := range among {
		bags[i] = b.passages[p].bag
	}
	questions := make([]static.Bag, len(list))
	for i := range list {
		questions[i] = list[i].bag
	}
	out := make([]eval.Answer, len(list))
	err := train.NewIndex(rows, bags).Each(ctx, questions, func(i int, scores []float32) error {
		out[i] = eval.Answer{ID: list[i].task.ID, Query: list[i].task.Query}
		for _, place := range nearest(scores) {
			h := b.passages[among[place]].hit()
			h.Score = float64(scores[place])
			out[i].Hits = append(out[i].Hits, h)
		}
		return nil
	})
	return out, err
}

// nearest are the places of the highest scores, best first; of equal ones the
// first.
func nearest(scores []float32) []int {
	var out []int
	better := func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) }
	for i := range scores {
		if len(out) == deepest && better(i, out[deepest-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(out, i, better)
		out = slices.Insert(out, at, i)
		out = out[:min(len(out), deepest)]
	}
	return out
}

// judge compares what two tables find for the same questions.
func (b *book) judge(ctx context.Context, list []question, among []int, inUse, trained []float32) (Comparison, error) {
	before, err := b.answers(ctx, inUse, list, among)
	if err != nil {
		return Comparison{}, err
	}
	after, err := b.answers(ctx, trained, list, among)
	if err != nil {
		return Comparison{}, err
	}
	tasks := make([]eval.Task, len(list))
	for i := range list {
		tasks[i] = list[i].task
	}
	o := eval.Options{Way: eval.OverChunks}
	o.SetDefaults()
	now := eval.NewReport("held back", tasks, after, nil, o)
	arm := eval.CompareArms(tasks, after, []eval.Arm{{Name: "in use"}}, [][]eval.Answer{before}, o)[0]
	c := Comparison{Questions: len(list), Passages: len(among), Resampled: now.Rows[0].Resampled,
		Before: map[string]eval.Estimate{}, After: map[string]eval.Estimate{}, Paired: map[string]eval.Paired{}}
	for _, m := range judged {
		name := eval.MeasureNames[m]
		c.Before[name], c.After[name], c.Paired[name] = arm.Rows[0].Figure(m), now.Rows[0].Figure(m), arm.Paired[name]
	}
	return c, nil
}
