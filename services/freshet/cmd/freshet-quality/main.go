// Command freshet-quality measures how well the real program ranks, with a
// task set that is kept elsewhere. See `make bench-quality`.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/freshet-dev/freshet/services/freshet/internal/bench/quality"
)

func main() {
	var cfg quality.Config
	flag.StringVar(&cfg.Binary, "freshet", "bin/freshet", "the program to measure")
	flag.StringVar(&cfg.Bench, "bench", "", "folder with the task set")
	flag.StringVar(&cfg.Repos, "repos", "", "folder in which the repositories are kept")
	flag.StringVar(&cfg.Scratch, "scratch", "", "folder for temporary state (default: the system's)")
	names := flag.String("names", "", "repositories, separated by commas, or all (default: "+strings.Join(quality.Default, ",")+")")
	file := flag.String("json", "", "also write every answer to this file, one a line")
	floor := flag.Float64("floor", 0, "fail when NDCG@10 over files of the whole is lower, or not above both channels")
	flag.Parse()
	if *names != "" {
		cfg.Names = strings.Split(*names, ",")
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, cfg, *file, *floor); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "freshet-quality:", err)
		os.Exit(2)
	}
}

func measure(ctx context.Context, cfg quality.Config, file string, floor float64) error {
	answers, err := quality.Run(ctx, cfg, os.Stderr)
	if err != nil {
		return err
	}
	if file != "" {
		if err := write(file, answers); err != nil {
			return err
		}
	}
	if err := quality.Print(os.Stdout, answers); err != nil {
		return err
	}
	if floor > 0 {
		return quality.Check(answers, floor)
	}
	return nil
}

func write(file string, answers []quality.Answer) error {
	f, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("write the answers: %w", err)
	}
	out := json.NewEncoder(f)
	for _, a := range answers {
		if err := out.Encode(a); err != nil {
			_ = f.Close()
			return fmt.Errorf("write the answers: %w", err)
		}
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write the answers: %w", err)
	}
	return nil
}
