// Command freshet-model makes an embedding model of public code. See
// `make model`.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/freshet-dev/freshet/lab/model"
	"github.com/freshet-dev/freshet/lab/report"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
)

func main() {
	cutter.ChildOrReturn()
	var cfg model.Config
	list := func(into *[]string) func(string) error {
		return func(value string) error {
			*into = append(*into, value)
			return nil
		}
	}
	flag.StringVar(&cfg.Out, "out", "bin/model", "new `folder` for the model")
	flag.StringVar(&cfg.Project, "project", ".", "checkout of this project")
	flag.Func("from", "further `folder` or repository to train on (may be repeated)", list(&cfg.From))
	flag.Func("apart", "task `file` whose answers are held back (may be repeated)", list(&cfg.Apart))
	flag.StringVar(&cfg.Start, "start", model.FromBundled, "where the training begins: bundled or random")
	flag.IntVar(&cfg.Train.Epochs, "epochs", 0, "most passes over the pairs (default 10)")
	flag.IntVar(&cfg.Train.Batch, "batch", 0, "pairs of a step (default 128)")
	flag.Float64Var(&cfg.Train.Rate, "rate", 0, "length of a step at the beginning, as a share of a typical value (default .1)")
	flag.Float64Var(&cfg.Train.Pull, "pull", 0, "share of its way that a row goes back at each step, negative for none (default .002)")
	flag.Uint64Var(&cfg.Train.Seed, "seed", 1, "chooses what is held back")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := model.Make(ctx, cfg, os.Stdout, progress()); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "freshet-model:", err)
		os.Exit(2)
	}
}

// progress shows a line on a terminal.
func progress() func(doing string, done, total int) {
	if !terminal.IsTerminal(os.Stderr) {
		return func(string, int, int) {}
	}
	line := terminal.NewLine(os.Stderr)
	var said time.Time
	return func(doing string, done, total int) {
		if now := time.Now(); now.Sub(said) > 100*time.Millisecond {
			said = now
			line.Text(report.Doing(doing, done, total))
		}
	}
}
