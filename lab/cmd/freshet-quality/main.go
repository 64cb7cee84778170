// Command freshet-quality measures how well the real program ranks, with a
// task set that is kept elsewhere. See `make bench-quality`.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/quality"
	"github.com/freshet-dev/freshet/lab/report"
	"github.com/freshet-dev/freshet/lab/tune"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/query/replay"
)

// output says what becomes of the figures.
type output struct {
	save, against string
	misses, json  bool
	floor         float64
}

func main() {
	var cfg quality.Config
	var out output
	flag.StringVar(&cfg.Binary, "freshet", "bin/freshet", "the program to measure")
	flag.StringVar(&cfg.Settings, "config", "", "its configuration file")
	flag.StringVar(&cfg.Bench, "bench", "", "folder with the task set")
	flag.StringVar(&cfg.Repos, "repos", "", "folder in which the repositories are kept")
	flag.StringVar(&cfg.Scratch, "scratch", "", "folder for temporary state (default: the system's)")
	names := flag.String("names", "", "repositories, separated by commas, or all (default: "+strings.Join(quality.Default, ",")+")")
	chunks := flag.Bool("no-dedupe", false, "count ranks over the hits as they come, not over files")
	flag.Func("arm", "instead of the usual arms: `name=stage,stage`, the stages that it leaves out (may be repeated)", func(text string) error {
		a, err := eval.ParseArm(text)
		cfg.Arms = append(cfg.Arms, a)
		return err
	})
	cfg.Servers.Flags(flag.CommandLine, "keep the passages in")
	flag.StringVar(&out.save, "save", "", "keep the answers of the whole in this file")
	flag.StringVar(&out.against, "against", "", "compare the whole with the answers in this file, task by task")
	flag.BoolVar(&cfg.Ablate, "ablate", false, "measure what each stage and each signal brings, too")
	tuned := flag.Bool("tune", false, "look for weights that are better for these tasks, and answer each repository with those that were found without it")
	flag.BoolVar(&out.misses, "misses", false, "print a line for each miss of the whole")
	flag.BoolVar(&out.json, "json", false, "print the report as JSON")
	flag.Float64Var(&out.floor, "floor", 0, "fail when NDCG@10 over files of the whole is lower, or not above the other arms")
	flag.Parse()
	if *names != "" {
		cfg.Names = strings.Split(*names, ",")
	}
	cfg.Way = eval.OverFiles
	if *chunks {
		cfg.Way = eval.OverChunks
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := ranked(&cfg, *tuned)
	if err == nil {
		err = measure(ctx, cfg, out)
	}
	if err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "freshet-quality:", err)
		os.Exit(2)
	}
}

// ranked fills in how the program ranks, and what is tuned.
func ranked(cfg *quality.Config, tuned bool) error {
	c, err := config.Load(cfg.Settings, os.Environ()...)
	if err != nil {
		return err
	}
	cfg.Query = c.Query
	cfg.Tune = tune.Options{Start: c.Query.Ranking, PerFile: replay.PerFile{Code: c.Query.PerFile, Docs: c.Query.PerFileDocs}, Measure: eval.NDCGChunks, Folds: 5}
	if tuned {
		cfg.Tune.Rounds = 3
		cfg.Tune.Progress = func(tried int) {
			if tried%100 == 0 {
				fmt.Fprintf(os.Stderr, "tuning  %d orders tried\n", tried)
			}
		}
	}
	return nil
}

func measure(ctx context.Context, cfg quality.Config, out output) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	var before eval.Saved
	if out.against != "" {
		var err error
		if before, err = eval.Load(out.against); err != nil {
			return err
		}
	}
	r, err := quality.Run(ctx, cfg, os.Stderr)
	if err != nil {
		return err
	}
	o := eval.Options{Way: cfg.Way}
	if out.against != "" {
		if r.Report.Against, err = eval.Compare(out.against, before, r.Tasks, r.Answers, o); err != nil {
			return err
		}
	}
	if out.save != "" {
		if err := eval.Save(out.save, r.Report.Set, r.Answers, o); err != nil {
			return err
		}
	}
	if err := show(r, out); err != nil {
		return err
	}
	if out.floor > 0 {
		return r.Check(out.floor)
	}
	return nil
}

func show(r *quality.Result, out output) error {
	if !out.json {
		style := terminal.StyleFor(os.Stdout)
		err := report.Evaluation(os.Stdout, style, &r.Report, out.misses)
		if len(r.Ablation) > 0 {
			err = errors.Join(err, report.Ablation(os.Stdout, style, &r.Report, r.Ablation))
		}
		if r.Tuning != nil {
			err = errors.Join(err, report.Tuning(os.Stdout, style, r.Tuning, ""))
		}
		return err
	}
	raw, err := json.Marshal(struct {
		*eval.Report
		Ablation []eval.ArmReport `json:"ablation,omitempty"`
		Tuning   *tune.Result     `json:"tuning,omitempty"`
	}{&r.Report, r.Ablation, r.Tuning})
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	_, err = fmt.Printf("%s\n", raw)
	return err
}
