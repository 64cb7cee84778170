package tune

import (
	"context"
	"slices"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/replay"
)

// Options say how weights are looked for.
type Options struct {
	Start   config.Ranking // where it begins
	PerFile replay.PerFile // most hits of one file among ten
	Measure eval.Measure   // what is to be high
	Folds   int            // parts of the groups that are held back in turn
	Rounds  int            // most rounds over all weights
	// Progress is told how many orders have been tried; nil for nobody.
	Progress func(tried int)

	tried int
}

func (o *Options) step() {
	if o.tried++; o.Progress != nil {
		o.Progress(o.tried)
	}
}

// Change is a weight that was changed.
type Change struct {
	Key  string `json:"key"`
	From any    `json:"from"`
	To   any    `json:"to"`
}

// Result is what was found.
type Result struct {
	Measure string         `json:"measure"`
	What    eval.Measure   `json:"-"`
	Tasks   int            `json:"tasks"`
	Groups  int            `json:"groups"`
	Weights config.Ranking `json:"-"`
	Changes []Change       `json:"changes"`
	// Before and After are the means over all tasks, which the weights were
	// fitted to.
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	// Held is the mean where each group is answered with weights that were
	// found without it: what may be expected of tasks that are not these.
	Held eval.Report `json:"held"`
	// HeldMean is that of the measure.
	HeldMean float64 `json:"held_mean"`
}

// Better reports whether the weights that were found promise more on other
// tasks than those at the start.
func (r *Result) Better() bool { return r.HeldMean > r.Before }

// Run looks for the weights. The tasks of one group are never divided.
func Run(ctx context.Context, questions []Question, o Options) (Result, error) {
	groups := groupsOf(questions)
	if len(groups) < o.Folds {
		return Result{}, document.Errorf(document.InvalidRequest, "the tasks are of %d groups, and %d are to be held back in turn: lower --folds, or give tasks of more repositories", len(groups), o.Folds)
	}
	all := make([]*Question, len(questions))
	for i := range questions {
		all[i] = &questions[i]
	}
	r := Result{Measure: eval.MeasureNames[o.Measure], What: o.Measure, Tasks: len(all), Groups: len(groups)}
	var err error
	if r.Before, err = mean(ctx, all, &o.Start, &o); err != nil {
		return r, err
	}
	if err := r.hold(ctx, all, groups, &o); err != nil {
		return r, err
	}
	if r.Weights, err = ascend(ctx, all, o.Start, &o); err != nil {
		return r, err
	}
	if r.After, err = mean(ctx, all, &r.Weights, &o); err != nil {
		return r, err
	}
	r.Changes = Changes(o.Start, r.Weights)
	return r, nil
}

// hold answers each fold with the weights that the others lead to.
func (r *Result) hold(ctx context.Context, all []*Question, groups []string, o *Options) error {
	var tasks []eval.Task
	var answers []eval.Answer
	sum := 0.0
	for fold := range o.Folds {
		var fit, held []*Question
		for _, q := range all {
			if slices.Index(groups, q.Task.Group)%o.Folds == fold {
				held = append(held, q)
			} else {
				fit = append(fit, q)
			}
		}
		w, err := ascend(ctx, fit, o.Start, o)
		if err != nil {
			return err
		}
		for _, q := range held {
			hits := q.Answer(&w, o.PerFile, nil)
			sum += eval.Score(&q.Task, hits, eval.OverChunks, 10)[o.Measure]
			tasks = append(tasks, q.Task)
			answers = append(answers, eval.Answer{ID: q.Task.ID, Query: q.Task.Query, Hits: hits})
		}
	}
	r.HeldMean = sum / float64(max(len(tasks), 1))
	options := eval.Options{Way: eval.OverChunks}
	options.SetDefaults()
	r.Held = eval.NewReport("held back", tasks, answers, nil, options)
	return nil
}

func groupsOf(questions []Question) []string {
	var out []string
	for i := range questions {
		if g := questions[i].Task.Group; !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	slices.Sort(out)
	return out
}

// Changes lists the weights that differ.
func Changes(from, to config.Ranking) []Change {
	var out []Change
	if from.Fusion != to.Fusion {
		out = append(out, Change{"fusion", from.Fusion, to.Fusion})
	}
	for _, k := range knobs() {
		if a, b := k.get(&from), k.get(&to); a != b {
			out = append(out, Change{k.key, a, b})
		}
	}
	return out
}
