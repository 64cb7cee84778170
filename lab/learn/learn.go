package learn

import (
	"context"
	"fmt"
	"slices"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/tune"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/lambdamart"
	"github.com/freshet-dev/freshet/services/query/replay"
)

const (
	// LeastTasks is how many it takes for a difference that means anything.
	LeastTasks = 50
	// Significance is the p below which a model counts as better.
	Significance = .05
	// passages is how many candidates are looked at: what stands further down
	// seldom belongs among the first ten, and each costs time in every search.
	passages = 50
	// weight is what the model's order counts beside that of the signals. More
	// of it is worth more on tasks like those that it learned from, and costs more
	// on all others.
	weight = .5
	// leastOfClass is how many tasks of a class of question it takes to know
	// such questions: names want another order than sentences.
	leastOfClass = 30
)

// Options say how a model is trained.
type Options struct {
	Ranking config.Ranking // the weights that it is to work behind
	PerFile replay.PerFile // most hits of one file among ten
	Measure eval.Measure   // what has to be higher
	Folds   int            // parts of the tasks that are held back in turn
	Train   lambdamart.Options
	// Check are tasks that are never trained on, and that must not be answered
	// worse.
	Check []tune.Question
	// Progress is told how many models of how many are trained; nil for nobody.
	Progress func(done, total int)
}

// Result is what came of it.
type Result struct {
	Measure string       `json:"measure"`
	What    eval.Measure `json:"-"`
	Tasks   int          `json:"tasks"`
	// Held says what was held back together: groups, or the tasks of one file
	// where there are few groups. Parts counts these.
	Held  string `json:"held"`
	Parts int    `json:"parts"`
	// Before and After are the means of the measure over tasks that were held
	// back, without and with the model; Paired is the difference.
	Before float64     `json:"before"`
	After  float64     `json:"after"`
	Paired eval.Paired `json:"paired"`
	// Rows are the figures of each kind of task, without and with.
	Rows []Row `json:"rows"`
	// Check is how the tasks of Options.Check are answered by the model; nil
	// without any.
	Check *Check `json:"check,omitempty"`
	// Classes are the kinds of question that there were enough of.
	Classes []string `json:"classes"`
	// Trees and Bytes are the size of the model; Uses how often its trees ask
	// for each feature, most often first.
	Trees int   `json:"trees"`
	Bytes int   `json:"bytes"`
	Uses  []Use `json:"uses"`
	// Promoted says that the model is served now.
	Promoted bool `json:"promoted"`
}

// Row are the figures of some of the tasks.
type Row struct {
	By     string  `json:"by"`
	Name   string  `json:"name"`
	Tasks  int     `json:"tasks"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// Use is how often trees ask for a feature.
type Use struct {
	Feature string `json:"feature"`
	Nodes   int    `json:"nodes"`
}

// Better reports whether the model is worth serving.
func (r *Result) Better() bool { return r.Gains() && !r.Check.worse() }

// Gains reports whether tasks like those that the model learned from are
// answered better, by more than chance.
func (r *Result) Gains() bool {
	return r.Trees > 0 && r.Paired.Difference.Value > 0 && r.Paired.P < Significance
}

// Run trains models without each fold in turn, to see what they are worth there,
// and one with all tasks. The model is nil where nothing was learned.
func Run(ctx context.Context, questions []tune.Question, o Options) (Result, *contract.Reranker, error) {
	r := Result{Measure: eval.MeasureNames[o.Measure], What: o.Measure, Tasks: len(questions)}
	if len(questions) < LeastTasks {
		return r, nil, document.Errorf(document.InvalidRequest, "there are %d tasks with an answer: give at least %d, such as `freshet eval make` makes of your own sources", len(questions), LeastTasks)
	}
	var examples []example
	examples, r.Held, r.Parts = divide(questions, &o)
	if r.Parts < o.Folds {
		return r, nil, document.Errorf(document.InvalidRequest, "the tasks are of %d files, and %d parts are to be held back in turn: lower --folds, or give tasks about more files", r.Parts, o.Folds)
	}
	if r.Classes = classesOf(examples); len(r.Classes) == 0 {
		return r, nil, document.Errorf(document.InvalidRequest, "there are not %d tasks of any class of question: give more", leastOfClass)
	}
	trees, err := r.hold(ctx, examples, &o)
	if err != nil {
		return r, nil, err
	}
	o.told(o.Folds)
	m, err := o.whole(ctx, examples, r.Classes, trees)
	if err != nil || m == nil {
		return r, nil, err
	}
	m.Merit = contract.RerankerMerit{Measure: r.Measure, Tasks: r.Tasks, Before: r.Before, After: r.After, P: r.Paired.P}
	if err := r.size(m); err != nil {
		return r, nil, err
	}
	r.Check, err = o.check(m)
	return r, m, err
}

func (o *Options) told(done int) {
	if o.Progress != nil {
		o.Progress(done, o.Folds+1)
	}
}

// checked is the share of the parts, one in so many, on which a training sees
// when to end.
const checked = 5

// hold answers each fold with a model that was trained without it, and returns
// how many trees these have, the middle one.
func (r *Result) hold(ctx context.Context, examples []example, o *Options) (trees int, err error) {
	var tasks []eval.Task
	var before, after []eval.Answer
	var counts []int
	for fold := range o.Folds {
		o.told(fold)
		var fit, check []lambdamart.Query
		for i := range examples {
			l := &examples[i]
			switch {
			case l.part%o.Folds == fold:
			case l.part/o.Folds%checked == 0:
				check = append(check, l.query)
			default:
				fit = append(fit, l.query)
			}
		}
		m, err := o.train(ctx, fit, check, r.Classes, o.Train)
		if err != nil {
			return 0, err
		}
		counts = append(counts, len(m.Trees))
		ready, err := replay.NewReranker(m, o.Ranking)
		if err != nil {
			return 0, err
		}
		for i := range examples {
			if l := &examples[i]; l.part%o.Folds == fold {
				tasks = append(tasks, l.Task)
				before = append(before, eval.Answer{ID: l.Task.ID, Hits: l.Answer(&o.Ranking, o.PerFile, nil)})
				after = append(after, eval.Answer{ID: l.Task.ID, Hits: l.Answer(&o.Ranking, o.PerFile, ready)})
			}
		}
	}
	r.compare(tasks, before, after)
	slices.Sort(counts)
	return counts[len(counts)/2], nil
}

func (r *Result) compare(tasks []eval.Task, before, after []eval.Answer) {
	o := eval.Options{Way: eval.OverChunks}
	o.SetDefaults()
	now := eval.NewReport("with", tasks, after, nil, o)
	then := eval.CompareArms(tasks, after, []eval.Arm{{Name: "without"}}, [][]eval.Answer{before}, o)[0]
	r.Paired = then.Paired[r.Measure]
	for i, row := range now.Rows {
		was := then.Rows[i]
		r.Rows = append(r.Rows, Row{By: row.By, Name: row.Name, Tasks: row.Tasks, Before: was.Figure(r.What).Value, After: row.Figure(r.What).Value})
	}
	r.Before, r.After = r.Rows[0].Before, r.Rows[0].After
}

// whole trains on all tasks, with as many trees as the others came to.
func (o *Options) whole(ctx context.Context, examples []example, classes []string, trees int) (*contract.Reranker, error) {
	if trees == 0 {
		return nil, nil
	}
	all := make([]lambdamart.Query, len(examples))
	for i := range examples {
		all[i] = examples[i].query
	}
	options := o.Train
	options.Trees = trees
	return o.train(ctx, all, nil, classes, options)
}

// train returns a model as a service takes it.
func (o *Options) train(ctx context.Context, fit, check []lambdamart.Query, classes []string, options lambdamart.Options) (*contract.Reranker, error) {
	names, base := replay.Features()
	options.Base = base
	m, err := lambdamart.Train(ctx, fit, check, options)
	if err != nil {
		return nil, fmt.Errorf("train the reranker: %w", err)
	}
	out := &contract.Reranker{
		Version: contract.RerankerVersion, Features: names, Ranking: replay.RankingName(o.Ranking), Classes: classes,
		Passages: passages, Weight: weight, Base: m.Base, Scale: m.Scale, Trees: []contract.RerankerTree{},
	}
	for _, t := range m.Trees {
		out.Trees = append(out.Trees, contract.RerankerTree(t))
	}
	return out, nil
}
