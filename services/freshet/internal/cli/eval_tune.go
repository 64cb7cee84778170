package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/report"
	"github.com/freshet-dev/freshet/lab/tune"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query"
)

type tuneFlags struct {
	index   []string
	config  string
	measure string
	folds   int
	rounds  int
	write   string
	json    bool
}

func (p *Program) evalTune() *cobra.Command {
	var f tuneFlags
	cmd := &cobra.Command{
		Use:   "tune TASKS…",
		Short: "Find the weights of the ranking that suit your code",
		Long: "tune asks the running instance for all that it recalls for the questions of task files, and turns one weight of\n" +
			"the ranking after the other to where the answers are best. It prints what that is worth on repositories that\n" +
			"the weights were found without: if it is no gain there, the default is better.\n" +
			"--write keeps those that differ from the default in a file of their own, which the configuration names under\n" +
			"query.weights.",
		Example: "  freshet eval make ~/src/project --out /tmp/tasks\n" +
			"  freshet eval tune /tmp/tasks/tasks.jsonl --index /tmp/tasks/corpus --write ~/.config/freshet/weights.yaml",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.runTune(cmd.Context(), f, args) },
	}
	cmd.Flags().StringArrayVar(&f.index, "index", nil, "index this `folder` in a temporary state, and ask there (may be repeated)")
	cmd.Flags().StringVar(&f.config, "config", "", "configuration `file` of the instance: where the search begins")
	cmd.Flags().StringVar(&f.measure, "measure", eval.MeasureNames[eval.NDCGChunks], "`measure` that is to be high: "+fmt.Sprint(eval.MeasureNames))
	cmd.Flags().IntVar(&f.folds, "folds", 5, "`number` of parts of the repositories that are held back in turn, 2 to 20")
	cmd.Flags().IntVar(&f.rounds, "rounds", 3, "most rounds over all weights, a `number` from 1 to 20")
	cmd.Flags().StringVar(&f.write, "write", "", "write the weights to this `file`")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return cmd
}

func (f *tuneFlags) options() (tune.Options, config.Config, error) {
	var c config.Config
	measure := slices.Index(eval.MeasureNames[:], f.measure)
	switch {
	case measure < 0:
		return tune.Options{}, c, document.Errorf(document.InvalidRequest, "--measure is %q: choose one of %v", f.measure, eval.MeasureNames)
	case f.folds < 2 || f.folds > 20:
		return tune.Options{}, c, document.Errorf(document.InvalidRequest, "--folds is %d: choose 2 to 20", f.folds)
	case f.rounds < 1 || f.rounds > 20:
		return tune.Options{}, c, document.Errorf(document.InvalidRequest, "--rounds is %d: choose 1 to 20", f.rounds)
	}
	c, err := config.Load(f.config, overrides()...)
	if err != nil {
		return tune.Options{}, c, err
	}
	return tune.Options{
		Start: c.Query.Ranking, PerFile: query.PerFile{Code: c.Query.PerFile, Docs: c.Query.PerFileDocs}, Measure: eval.Measure(measure), Folds: f.folds, Rounds: f.rounds,
	}, c, nil
}

func (p *Program) runTune(ctx context.Context, f tuneFlags, files []string) error {
	o, c, err := f.options()
	if err != nil {
		return err
	}
	tasks, err := presentTasks(files)
	if err != nil {
		return err
	}
	progress := p.progress()
	questions, err := p.recall(ctx, f, tasks, c.Query, progress)
	if err == nil {
		o.Progress = func(tried int) { progress.text(fmt.Sprintf("tuning  %d orders tried", tried)) }
		var r tune.Result
		if r, err = tune.Run(ctx, questions, o); err == nil {
			progress.clear()
			return p.tuned(f, &r)
		}
	}
	progress.clear()
	return err
}

func (p *Program) recall(ctx context.Context, f tuneFlags, tasks []eval.Task, c config.Query, progress liveLine) (questions []tune.Question, err error) {
	nc, own, err := p.evaluatedInstance(ctx, evalFlags{index: f.index, config: f.config}, tasks, progress)
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
func recallFrom(ctx context.Context, nc *nats.Conn, tasks []eval.Task, c config.Query, progress liveLine) ([]tune.Question, error) {
	tasks, err := eval.Sections(ctx, nc, tasks, eval.Options{})
	if err != nil {
		return nil, err
	}
	return tune.Recall(ctx, nc, tasks, c, func(done, total int) { progress.text(fmt.Sprintf("asking  %d of %d", done, total)) })
}

func (p *Program) tuned(f tuneFlags, r *tune.Result) error {
	if f.write != "" {
		if err := writeWeights(f.write, r); err != nil {
			return err
		}
	}
	if !f.json {
		return report.Tuning(p.Stdout, p.style(), r, f.write)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	return p.printJSON(raw)
}

// writeWeights writes those that differ from the default, as a file that the
// configuration names.
func writeWeights(file string, r *tune.Result) error {
	text, n, err := r.Weights.WeightsYAML()
	if err != nil {
		return err
	}
	head := "# Weights of the order of answers, for query.weights of the configuration.\n"
	if n == 0 {
		head += "# Those that are best for the tasks are the default ones.\n"
	}
	if err := os.WriteFile(file, append([]byte(head), text...), 0o644); err != nil {
		return document.Errorf(document.InvalidRequest, "cannot write the weights: %w: name a file in a folder that is there", err)
	}
	return nil
}
