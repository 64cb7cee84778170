package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/services/freshet/internal/forecast"
)

func newPlan(p *command.Program) *cobra.Command {
	var file, branch string
	var exclude []string
	var exact, asJSON bool
	cmd := &cobra.Command{
		Use:   "plan PATH",
		Short: "Say what indexing a folder or repository would take, and change nothing",
		Long: "plan reads PATH as `freshet up PATH` would, with the same rules, and says what there is to index,\n" +
			"what is left out and why, and what it will cost in time and disk. It cuts and embeds a sample of\n" +
			"16 MiB, or with --exact everything. No instance is needed, and nothing is written.",
		Example: "  freshet plan ~/src/project\n  freshet plan . --exact --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, _, err := instance.Load(file, p.Data)
			if err != nil {
				return err
			}
			root, err := locate(p, args[0])
			if err != nil {
				return err
			}
			if exclude, err = excludes(exclude); err != nil {
				return err
			}
			for _, s := range cfg.Sources {
				if s.Root == root {
					exclude = append(exclude, s.Exclude...)
				}
			}
			report, err := foresee(cmd.Context(), p, forecast.Options{Config: cfg, Path: root, Branch: branch, Exclude: exclude, Exact: exact})
			if err != nil {
				return err
			}
			if !asJSON {
				return report.Write(p.Stdout, p.Style())
			}
			raw, err := json.MarshalIndent(report, "", "  ")
			if err != nil {
				return fmt.Errorf("encode the plan: %w", err)
			}
			return p.PrintJSON(raw)
		},
	}
	cmd.Flags().BoolVar(&exact, "exact", false, "cut and embed everything, not a sample")
	cmd.Flags().StringVar(&branch, "branch", "", "`branch` of a bare repository (default: its default branch)")
	cmd.Flags().StringArrayVar(&exclude, "exclude", nil, excludeUsage)
	cmd.Flags().StringVar(&file, "config", "", "configuration `file`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the plan as JSON")
	return cmd
}

// planEvery is the time between two lines of progress.
const planEvery = 100 * time.Millisecond

// foresee shows what it does on a terminal.
func foresee(ctx context.Context, p *command.Program, o forecast.Options) (forecast.Report, error) {
	line := remote.ProgressOn(p)
	if line.There() {
		var said time.Time
		o.Progress = func(doing string, documents int, bytes int64) {
			if now := time.Now(); now.Sub(said) > planEvery {
				said = now
				line.Say(doing, documents, bytes)
			}
		}
	}
	defer line.Clear()
	return forecast.Run(ctx, o)
}
