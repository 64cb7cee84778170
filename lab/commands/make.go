package commands

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/lab/mine"
	"github.com/freshet-dev/freshet/lab/report"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
)

func newEvalMake(p *command.Program) *cobra.Command {
	var o mine.Options
	var file string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "make PATH…",
		Short: "Make tasks of folders or a git repository itself",
		Long: "make writes tasks for `freshet eval` that PATH itself asks and answers: a doc comment asks for its function,\n" +
			"a heading for its section, a commit message for the files that it changed, and questions that nothing answers.\n" +
			"--out gets a copy of what would be indexed of PATH (corpus/), from which the questions are taken out,\n" +
			"the tasks on that copy (tasks.jsonl), and those on the history (commits.jsonl). PATH is only read.",
		Example: "  freshet eval make ~/src/project --out /tmp/tasks\n" +
			"  freshet eval /tmp/tasks/tasks.jsonl --index /tmp/tasks/corpus",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("tasks") && o.Tasks < 1 || cmd.Flags().Changed("per-file") && o.PerFile < 1 {
				return document.Errorf(document.InvalidRequest, "--tasks and --per-file are at least 1: leave a kind out with --kinds")
			}
			var err error
			if o.Config, err = config.Load(file, instance.Environ()...); err != nil {
				return err
			}
			if p.Data != "" {
				o.Config.Data = p.Data
			}
			for _, path := range args {
				root, err := rootOf(p, path)
				if err != nil {
					return err
				}
				o.Sources = append(o.Sources, mine.Source{Path: root})
			}
			return makeTasks(cmd.Context(), p, o, asJSON)
		},
	}
	cmd.Flags().StringVar(&o.Out, "out", "", "new or empty `folder` for the corpus and the tasks (needed)")
	cmd.Flags().StringSliceVar(&o.Kinds, "kinds", mine.Kinds, "`kinds` of task, separated by commas")
	cmd.Flags().IntVar(&o.Tasks, "tasks", 200, "most tasks of each kind, a `number`")
	cmd.Flags().IntVar(&o.PerFile, "per-file", 2, "most tasks of one file, a `number`")
	cmd.Flags().Uint64Var(&o.Seed, "seed", 1, "`number` that chooses among what there is; the same one gives the same tasks")
	cmd.Flags().StringVar(&o.Group, "group", "", "`name` of what the tasks belong to (default: that of the first PATH)")
	cmd.Flags().StringVar(&file, "config", "", "configuration `file`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was made as JSON")
	return cmd
}

func makeTasks(ctx context.Context, p *command.Program, o mine.Options, asJSON bool) error {
	line := p.Live()
	defer line.Clear()
	o.Progress = func(doing string, done, total int) {
		line.Sometimes(func() string { return report.Doing(doing, done, total) })
	}
	made, err := mine.Make(ctx, o)
	line.Clear()
	if err != nil {
		return err
	}
	if !asJSON {
		return report.TasksMade(p.Stdout, p.Style(), made, command.Callable())
	}
	raw, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		return fmt.Errorf("encode what was made: %w", err)
	}
	return p.PrintJSON(raw)
}
