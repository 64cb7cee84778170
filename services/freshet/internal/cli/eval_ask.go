package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/document"
)

// evaluate asks the running instance, or one of its own, and explains the
// misses there. It returns the tasks in the order in which they were asked.
func (p *Program) evaluate(ctx context.Context, f evalFlags, list []eval.Task, arms []eval.Arm, o eval.Options) (tasks []eval.Task, answers []eval.Answer, r eval.Report, err error) {
	progress := p.progress()
	defer progress.clear()
	o.Progress = func(doing string, done, total int) {
		progress.text(fmt.Sprintf("%s  %d of %d", doing, done, total))
	}
	nc, own, err := p.evaluatedInstance(ctx, f, list, progress)
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
	r = eval.NewReport(f.set, tasks, answers, misses, o)
	others, err := eval.AskArms(ctx, nc, tasks, arms, o)
	if err != nil {
		return nil, nil, r, err
	}
	if f.ripgrep {
		found, err := eval.Ripgrep(ctx, f.index, tasks, o)
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

// evaluatedInstance returns a connection to the running instance, or to its
// own, which the caller closes.
func (p *Program) evaluatedInstance(ctx context.Context, f evalFlags, tasks []eval.Task, progress liveLine) (*nats.Conn, *eval.Instance, error) {
	if len(f.index) == 0 {
		nc, err := p.dial(ctx)
		return nc, nil, err
	}
	if p.nats != "" || p.data != "" {
		return nil, nil, document.Errorf(document.InvalidRequest, "--index has an instance of its own: leave --nats and --data out, or --index")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find this program: %w", err)
	}
	progress.text("indexing")
	own, err := eval.Start(ctx, eval.Corpus{Binary: self, Folders: f.index, Config: f.config, History: eval.OfHistory(tasks)})
	if err != nil {
		return nil, nil, err
	}
	return own.Bus.Conn(), own, nil
}
