package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/lab/adapt"
	"github.com/freshet-dev/freshet/lab/corpora"
	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/mine"
	"github.com/freshet-dev/freshet/lab/report"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/static/train"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Where the training begins.
const (
	FromBundled = "bundled" // with the rows of the bundled model
	FromRandom  = "random"  // with none but its vocabulary
)

// Config says what to make.
type Config struct {
	Out     string   // new or empty folder for the model
	Project string   // a checkout of this project
	From    []string // further folders or repositories
	Start   string   // FromBundled or FromRandom
	// Apart are task files made of the same sources: the files that they ask
	// for are held back, so that they can be asked of the model as well.
	Apart []string
	Train train.Options
	// Parser is as in freshet.Options.
	Parser []string
}

// Make trains a model, says beside the bundled one what it is worth, and writes
// it in any case: it is a try, which nobody uses before it is named.
func Make(ctx context.Context, c Config, told io.Writer, progress func(doing string, done, total int)) (err error) {
	rows, err := c.rows()
	if err != nil {
		return err
	}
	sources, err := c.sources(ctx, told)
	if err != nil {
		return err
	}
	apart, err := readApart(c.Apart)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "freshet-model-")
	if err != nil {
		return fmt.Errorf("make a folder for the pairs: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	cfg := config.Default()
	cfg.Data = filepath.Join(scratch, "state")
	corpus, err := adapt.Mine(ctx, mine.Options{Config: cfg, Sources: sources, Seed: c.Train.Seed, ParserCommand: c.Parser, Progress: progress}, filepath.Join(scratch, "pairs"))
	if err != nil {
		return err
	}
	model, trained, err := adapt.Run(ctx, adapt.Options{
		Config: cfg, Corpora: []adapt.Corpus{corpus}, Train: c.Train, Rows: rows, Apart: apart, ParserCommand: c.Parser, Progress: progress,
	})
	if err != nil {
		return err
	}
	if trained.Out, err = filepath.Abs(c.Out); err != nil {
		return fmt.Errorf("name the folder: %w", err)
	}
	if err := model.Write(trained.Out, trained.InUse); err != nil {
		return err
	}
	return report.TrainedEmbedder(told, terminal.Style{}, &trained)
}

// rows is where the training begins.
func (c *Config) rows() (func([]float32) []float32, error) {
	switch c.Start {
	case FromBundled:
		return nil, nil
	case FromRandom:
		return func(inUse []float32) []float32 {
			random := rand.New(rand.NewPCG(c.Train.Seed, 1))
			out := make([]float32, len(inUse))
			for i := range out {
				out[i] = float32(random.NormFloat64())
			}
			return out
		}, nil
	}
	return nil, document.Errorf(document.InvalidRequest, "the training cannot begin with %q: choose %s or %s", c.Start, FromBundled, FromRandom)
}

// sources are all that may be trained on.
func (c *Config) sources(ctx context.Context, told io.Writer) ([]mine.Source, error) {
	x, err := newExclusion()
	if err != nil {
		return nil, err
	}
	list, err := corpora.Sources(ctx, c.Project)
	if err != nil {
		return nil, err
	}
	for _, folder := range c.From {
		abs, err := filepath.Abs(folder)
		if err != nil {
			return nil, fmt.Errorf("name the folder %s: %w", folder, err)
		}
		list = append(list, mine.Source{Path: abs})
	}
	var out []mine.Source
	for _, s := range list {
		verb := "trained on:"
		if x.has(s.Path) {
			verb = "left out: "
		} else {
			out = append(out, s)
		}
		if _, err := fmt.Fprintf(told, "%s %s\n", verb, s.Path); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readApart returns what tells a file that one of the tasks asks for, by its path
// in its own set or in the folder of a source.
func readApart(files []string) (func(string) bool, error) {
	if len(files) == 0 {
		return nil, nil
	}
	tasks := map[string]bool{}
	for _, file := range files {
		list, err := eval.Read(file)
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			for _, r := range t.Relevant {
				tasks[r.Path] = true
			}
		}
	}
	return func(file string) bool {
		_, below, _ := strings.Cut(file, "/")
		return tasks[file] || tasks[below]
	}, nil
}
