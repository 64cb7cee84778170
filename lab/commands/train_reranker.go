package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/learn"
	"github.com/freshet-dev/freshet/lab/report"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/lambdamart"
)

type trainRerankerFlags struct {
	index   []string
	check   []string
	config  string
	measure string
	folds   int
	seed    uint64
	dryRun  bool
	remove  bool
	json    bool
}

type trainRerankerCommand struct {
	*command.Program
	trainRerankerFlags
}

func newTrainReranker(p *command.Program) *cobra.Command {
	c := &trainRerankerCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "reranker [TASKS…]",
		Short: "Learn the order of answers from tasks",
		Long: "reranker asks the running instance for all that it recalls for the questions of task files, and trains a small\n" +
			"model on what the engines and signals say of each candidate. It prints what that is worth on tasks that were\n" +
			"held back. Only where they are answered better than now, by more than chance, the running instance serves the\n" +
			"model, at once and without a restart; else nothing changes. --remove takes it back.",
		Example: "  freshet eval make ~/src/project --out /tmp/tasks\n" +
			"  freshet train reranker /tmp/tasks/tasks.jsonl --index /tmp/tasks/corpus\n" +
			"  freshet train reranker --remove",
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	cmd.Flags().StringArrayVar(&c.index, "index", nil, "index this `folder` in a temporary state, and ask there (may be repeated)")
	cmd.Flags().StringArrayVar(&c.check, "check", nil, "serve nothing that answers the running instance's questions of this task `file` worse; they are not trained on (may be repeated)")
	cmd.Flags().StringVar(&c.config, "config", "", "configuration `file` of the instance: the ranking that the model works behind")
	cmd.Flags().StringVar(&c.measure, "measure", eval.MeasureNames[eval.NDCGChunks], "`measure` that has to be higher: "+fmt.Sprint(eval.MeasureNames))
	cmd.Flags().IntVar(&c.folds, "folds", 5, "`number` of parts of the tasks that are held back in turn, 2 to 20")
	cmd.Flags().Uint64Var(&c.seed, "seed", 1, "`number` that everything random comes from; the same one gives the same model")
	cmd.Flags().BoolVar(&c.dryRun, "dry-run", false, "train and measure, and serve nothing")
	cmd.Flags().BoolVar(&c.remove, "remove", false, "take back what is served")
	cmd.Flags().BoolVar(&c.json, "json", false, "print the result as JSON")
	return cmd
}

// options checks the flags.
func (f *trainRerankerFlags) options() (learn.Options, config.Config, error) {
	tuning := tuneFlags{config: f.config, measure: f.measure, folds: f.folds, rounds: 1}
	o, c, err := tuning.options()
	if err != nil {
		return learn.Options{}, c, err
	}
	train := lambdamart.DefaultOptions()
	train.Seed = f.seed
	return learn.Options{Ranking: o.Start, PerFile: o.PerFile, Measure: o.Measure, Folds: o.Folds, Train: train}, c, nil
}

func (c *trainRerankerCommand) run(ctx context.Context, files []string) error {
	switch {
	case c.remove && len(files) > 0:
		return document.Errorf(document.InvalidRequest, "--remove takes back what is served and trains nothing: leave the tasks out, or --remove")
	case c.remove:
		return c.takeBack(ctx)
	case len(files) == 0:
		return document.Errorf(document.InvalidRequest, "no task file was named: name one, such as `freshet eval make` makes of your own sources")
	}
	o, cfg, err := c.options()
	if err != nil {
		return err
	}
	tasks, err := presentTasks(files)
	if err != nil {
		return err
	}
	var check []eval.Task
	if len(c.check) > 0 {
		if check, err = presentTasks(c.check); err != nil {
			return err
		}
	}
	var server *nats.Conn // of the instance that is to serve the model
	if !c.dryRun || len(check) > 0 {
		// Whether there is one is said before anything is indexed or trained.
		if server, err = c.Dial(ctx); err != nil {
			return err
		}
		defer server.Close()
	}
	progress := c.Live()
	if len(check) > 0 {
		o.Check, err = recallFrom(ctx, server, check, cfg.Query, progress)
	}
	var r learn.Result
	var m *contract.Reranker
	if err == nil {
		r, m, err = c.learn(ctx, tasks, o, cfg.Query, progress)
	}
	if err == nil && !c.dryRun && r.Better() {
		err = serveReranker(ctx, server, m)
		r.Promoted = err == nil
	}
	progress.Clear()
	if err != nil {
		return err
	}
	return c.print(&r)
}

// presentTasks reads tasks that are asked of the present state.
func presentTasks(files []string) ([]eval.Task, error) {
	tasks, err := eval.Read(files...)
	if err == nil && eval.OfHistory(tasks) {
		err = document.Errorf(document.InvalidRequest, "some tasks are asked as of commits: name task files of one state, such as the tasks.jsonl of `freshet eval make`")
	}
	return tasks, err
}

func (c *trainRerankerCommand) learn(ctx context.Context, tasks []eval.Task, o learn.Options, q config.Query, progress *command.Live) (learn.Result, *contract.Reranker, error) {
	from := asked{c.Program, c.index, c.config}
	if len(c.index) > 0 {
		// The flags that find an instance are for the one that serves the model.
		from.Program = &command.Program{Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr}
	}
	questions, err := from.recall(ctx, tasks, q, progress)
	if err != nil {
		return learn.Result{}, nil, err
	}
	o.Progress = func(done, total int) { progress.Text(fmt.Sprintf("training  %d of %d", done, total)) }
	return learn.Run(ctx, questions, o)
}

func serveReranker(ctx context.Context, nc *nats.Conn, m *contract.Reranker) error {
	m.Trained = time.Now().UTC().Truncate(time.Second)
	_, err := client.Reranker.Ask(ctx, nc, contract.RerankerRequest{Model: m})
	return err
}

func (c *trainRerankerCommand) takeBack(ctx context.Context) (err error) {
	nc, err := c.Dial(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	before, err := client.Reranker.Ask(ctx, nc, contract.RerankerRequest{})
	if err != nil {
		return err
	}
	raw, _, err := client.Reranker.Raw(ctx, nc, contract.RerankerRequest{Remove: true})
	if err != nil {
		return err
	}
	if c.json {
		return c.PrintJSON(raw)
	}
	return report.RerankerRemoved(c.Stdout, before.Served)
}

func (c *trainRerankerCommand) print(r *learn.Result) error {
	if !c.json {
		return report.Learning(c.Stdout, c.Style(), r, c.dryRun)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	return c.PrintJSON(raw)
}
