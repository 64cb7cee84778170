package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/report"
	"github.com/freshet-dev/freshet/lab/tune"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/services/query/replay"
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

type tuneCommand struct {
	*command.Program
	tuneFlags
}

func newEvalTune(p *command.Program) *cobra.Command {
	c := &tuneCommand{Program: p}
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
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	cmd.Flags().StringArrayVar(&c.index, "index", nil, "index this `folder` in a temporary state, and ask there (may be repeated)")
	cmd.Flags().StringVar(&c.config, "config", "", "configuration `file` of the instance: where the search begins")
	cmd.Flags().StringVar(&c.measure, "measure", eval.MeasureNames[eval.NDCGChunks], "`measure` that is to be high: "+fmt.Sprint(eval.MeasureNames))
	cmd.Flags().IntVar(&c.folds, "folds", 5, "`number` of parts of the repositories that are held back in turn, 2 to 20")
	cmd.Flags().IntVar(&c.rounds, "rounds", 3, "most rounds over all weights, a `number` from 1 to 20")
	cmd.Flags().StringVar(&c.write, "write", "", "write the weights to this `file`")
	cmd.Flags().BoolVar(&c.json, "json", false, "print the result as JSON")
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
	c, err := config.Load(f.config, instance.Environ()...)
	if err != nil {
		return tune.Options{}, c, err
	}
	return tune.Options{
		Start: c.Query.Ranking, PerFile: replay.PerFile{Code: c.Query.PerFile, Docs: c.Query.PerFileDocs}, Measure: eval.Measure(measure), Folds: f.folds, Rounds: f.rounds,
	}, c, nil
}

func (c *tuneCommand) run(ctx context.Context, files []string) error {
	o, cfg, err := c.options()
	if err != nil {
		return err
	}
	tasks, err := presentTasks(files)
	if err != nil {
		return err
	}
	progress := c.Live()
	questions, err := asked{c.Program, c.index, c.config}.recall(ctx, tasks, cfg.Query, progress)
	if err == nil {
		o.Progress = func(tried int) { progress.Text(fmt.Sprintf("tuning  %d orders tried", tried)) }
		var r tune.Result
		if r, err = tune.Run(ctx, questions, o); err == nil {
			progress.Clear()
			return c.print(&r)
		}
	}
	progress.Clear()
	return err
}

func (c *tuneCommand) print(r *tune.Result) error {
	if c.write != "" {
		if err := writeWeights(c.write, r); err != nil {
			return err
		}
	}
	if !c.json {
		return report.Tuning(c.Stdout, c.Style(), r, c.write)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	return c.PrintJSON(raw)
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
