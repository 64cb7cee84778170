package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/freshet-dev/freshet/lab/eval"
)

// evaluate asks the running instance, or one of its own, and explains the
// misses there. It returns the tasks in the order in which they were asked.
func (c *evalCommand) evaluate(ctx context.Context, list []eval.Task, arms []eval.Arm, o eval.Options) (tasks []eval.Task, answers []eval.Answer, r eval.Report, err error) {
	progress := c.Live()
	defer progress.Clear()
	o.Progress = func(doing string, done, total int) {
		progress.Text(fmt.Sprintf("%s  %d of %d", doing, done, total))
	}
	nc, own, err := c.asked().open(ctx, list, progress)
	if err != nil {
		return nil, nil, r, err
	}
	defer func() {
		if own == nil {
			nc.Close()
			return
		}
		err = errors.Join(err, own.Close())
	}()
	tasks = list
	if own != nil {
		o.At = own.At
		if tasks, err = own.InOrder(ctx, list); err != nil {
			return nil, nil, r, err
		}
	}
	if answers, err = eval.Ask(ctx, nc, tasks, o); err != nil {
		return nil, nil, r, err
	}
	if tasks, err = eval.Sections(ctx, nc, tasks, o); err != nil {
		return nil, nil, r, err
	}
	misses, err := eval.Misses(ctx, nc, tasks, answers, o)
	if err != nil {
		return nil, nil, r, err
	}
	r = eval.NewReport(c.set, tasks, answers, misses, o)
	others, err := eval.AskArms(ctx, nc, tasks, arms, o)
	if err != nil {
		return nil, nil, r, err
	}
	if c.ripgrep {
		found, err := eval.Ripgrep(ctx, c.index, tasks, o)
		if err != nil {
			return nil, nil, r, err
		}
		arms, others = append(arms, eval.RipgrepArm), append(others, found)
	}
	r.Arms = eval.CompareArms(tasks, answers, arms, others, o)
	if own != nil {
		r.Latency.Fresh, r.Indexing = true, &own.Indexing
	}
	return tasks, answers, r, nil
}
