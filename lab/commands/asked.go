package commands

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/tune"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// asked is who is asked the questions of tasks: the running instance, or one
// that indexes folders in a temporary state.
type asked struct {
	*command.Program
	index  []string // the folders; none for the running instance
	config string   // file, for an instance of its own
}

// open returns a connection to the running instance, or to one of its own,
// which the caller closes.
func (a asked) open(ctx context.Context, tasks []eval.Task, progress *command.Live) (*nats.Conn, *eval.Instance, error) {
	if len(a.index) == 0 {
		nc, err := a.Dial(ctx)
		return nc, nil, err
	}
	if a.NATS != "" || a.Data != "" {
		return nil, nil, document.Errorf(document.InvalidRequest, "--index has an instance of its own: leave --nats and --data out, or --index")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find this program: %w", err)
	}
	progress.Text("indexing")
	own, err := eval.Start(ctx, eval.Corpus{Binary: self, Folders: a.index, Config: a.config, History: eval.OfHistory(tasks)})
	if err != nil {
		return nil, nil, err
	}
	return own.Bus.Conn(), own, nil
}

// recall asks for all that is recalled for tasks.
func (a asked) recall(ctx context.Context, tasks []eval.Task, c config.Query, progress *command.Live) (questions []tune.Question, err error) {
	nc, own, err := a.open(ctx, tasks, progress)
	if err != nil {
		return nil, err
	}
	defer func() {
		if own == nil {
			nc.Close()
			return
		}
		err = errors.Join(err, own.Close())
	}()
	return recallFrom(ctx, nc, tasks, c, progress)
}

// recallFrom asks an instance for all that it recalls for tasks.
func recallFrom(ctx context.Context, nc *nats.Conn, tasks []eval.Task, c config.Query, progress *command.Live) ([]tune.Question, error) {
	tasks, err := eval.Sections(ctx, nc, tasks, eval.Options{})
	if err != nil {
		return nil, err
	}
	return tune.Recall(ctx, nc, tasks, c, func(done, total int) { progress.Text(fmt.Sprintf("asking  %d of %d", done, total)) })
}
