package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/lab/adapt"
	"github.com/freshet-dev/freshet/lab/mine"
	"github.com/freshet-dev/freshet/lab/report"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/static/train"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// trainEmbedderFlags are what the flags of train embedder say.
type trainEmbedderFlags struct {
	from   []string
	out    string
	epochs int
	seed   uint64
	config string
	json   bool
}

type trainEmbedderCommand struct {
	*command.Program
	trainEmbedderFlags
}

func newTrainEmbedder(p *command.Program) *cobra.Command {
	c := &trainEmbedderCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "embedder [TASKS…]",
		Short: "Train the embedding model further on your own files",
		Long: "embedder trains the model in use further on pairs of a question and the passage that answers it: of task\n" +
			"files with their corpus beside them, as `freshet eval make` writes them, or of the folders and repositories\n" +
			"of --from. A fifth of the files is held back; their questions are asked of both models. Only a model that\n" +
			"finds more of these passages, by more than chance, is written to --out. No instance is needed.",
		Example: "  freshet train embedder --from ~/src/project --out ~/models/project\n" +
			"  freshet train embedder /tmp/tasks/tasks.jsonl",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd.Context(), args)
		},
	}
	cmd.Flags().StringArrayVar(&c.from, "from", nil, "make the pairs of this `folder` or repository (may be repeated)")
	cmd.Flags().StringVar(&c.out, "out", "", "new `folder` for the model, if it is better (default: it is only judged)")
	cmd.Flags().IntVar(&c.epochs, "epochs", 10, "most passes over the pairs, a `number` from 1 to 100")
	cmd.Flags().Uint64Var(&c.seed, "seed", 1, "`number` that chooses what is held back; the same one gives the same model")
	cmd.Flags().StringVar(&c.config, "config", "", "configuration `file`, whose embedder.model is the one in use")
	cmd.Flags().BoolVar(&c.json, "json", false, "print the report as JSON")
	return cmd
}

func (c *trainEmbedderCommand) run(ctx context.Context, files []string) error {
	o, err := c.options(files)
	if err != nil {
		return err
	}
	model, report, err := c.train(ctx, files, o)
	if err != nil {
		return err
	}
	if report.Won && c.out != "" {
		if report.Out, err = filepath.Abs(c.out); err != nil {
			return fmt.Errorf("name the folder: %w", err)
		}
		if err := model.Write(report.Out, report.InUse); err != nil {
			return err
		}
	}
	return c.print(&report, c.json)
}

// options checks what can be before anything is read.
func (c *trainEmbedderCommand) options(files []string) (adapt.Options, error) {
	o := adapt.Options{Train: train.Options{Epochs: c.epochs, Seed: c.seed}}
	switch {
	case len(files) == 0 && len(c.from) == 0:
		return o, document.Errorf(document.InvalidRequest, "there is nothing to train on: name task files that have their corpus beside them, or folders with --from")
	case len(files) > 0 && len(c.from) > 0:
		return o, document.Errorf(document.InvalidRequest, "there are task files and --from: name one or the other")
	case c.epochs < 1 || c.epochs > 100:
		return o, document.Errorf(document.InvalidRequest, "--epochs is %d: choose 1 to 100", c.epochs)
	}
	if c.out != "" {
		if err := adapt.CheckOut(c.out); err != nil {
			return o, err
		}
	}
	var err error
	if o.Config, err = config.Load(c.config, instance.Environ()...); err != nil {
		return o, err
	}
	if c.Data != "" {
		o.Config.Data = c.Data
	}
	return o, nil
}

func (c *trainEmbedderCommand) train(ctx context.Context, files []string, o adapt.Options) (_ *adapt.Model, r adapt.Report, err error) {
	line := c.Live()
	defer line.Clear()
	o.Progress = func(doing string, done, total int) {
		line.Sometimes(func() string { return report.Doing(doing, done, total) })
	}
	if len(c.from) == 0 {
		if o.Corpora, err = adapt.FromTasks(files); err != nil {
			return nil, r, err
		}
		return adapt.Run(ctx, o)
	}
	scratch, err := os.MkdirTemp("", "freshet-train-")
	if err != nil {
		return nil, r, fmt.Errorf("make a folder for the pairs: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	m := mine.Options{Config: o.Config, Seed: c.seed, Progress: o.Progress}
	for _, path := range c.from {
		root, err := rootOf(c.Program, path)
		if err != nil {
			return nil, r, err
		}
		m.Sources = append(m.Sources, mine.Source{Path: root})
	}
	corpus, err := adapt.Mine(ctx, m, filepath.Join(scratch, "pairs"))
	if err != nil {
		return nil, r, err
	}
	o.Corpora = []adapt.Corpus{corpus}
	return adapt.Run(ctx, o)
}

func (c *trainEmbedderCommand) print(r *adapt.Report, asJSON bool) error {
	if !asJSON {
		return report.TrainedEmbedder(c.Stdout, c.Style(), r)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	return c.PrintJSON(raw)
}
