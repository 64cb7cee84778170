package learn

import (
	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/replay"
)

// Check is what a model does to tasks of another kind than those that it was
// trained on.
type Check struct {
	Tasks  int         `json:"tasks"`
	Before float64     `json:"before"`
	After  float64     `json:"after"`
	Paired eval.Paired `json:"paired"`
}

// worse reports whether they are answered worse. Some dozens of questions seldom
// prove that, so the mean decides.
func (c *Check) worse() bool { return c != nil && c.Paired.Difference.Value < 0 }

// check answers the tasks of o.Check without and with the model.
func (o *Options) check(m *contract.Reranker) (*Check, error) {
	if len(o.Check) == 0 {
		return nil, nil
	}
	ready, err := replay.NewReranker(m, o.Ranking)
	if err != nil {
		return nil, err
	}
	var tasks []eval.Task
	var before, after []eval.Answer
	for i := range o.Check {
		q := &o.Check[i]
		tasks = append(tasks, q.Task)
		before = append(before, eval.Answer{ID: q.Task.ID, Hits: q.Answer(&o.Ranking, o.PerFile, nil)})
		after = append(after, eval.Answer{ID: q.Task.ID, Hits: q.Answer(&o.Ranking, o.PerFile, ready)})
	}
	r := Result{Measure: eval.MeasureNames[o.Measure], What: o.Measure}
	r.compare(tasks, before, after)
	return &Check{Tasks: len(tasks), Before: r.Before, After: r.After, Paired: r.Paired}, nil
}
