// Command freshet-exact asks the real program for names and lines of a tree that
// have one right answer, and prints how often that comes first. See `make exact`.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/freshet-dev/freshet/lab/exact"
)

func main() {
	var cfg exact.Config
	flag.StringVar(&cfg.Binary, "freshet", "bin/freshet", "the program to measure")
	flag.StringVar(&cfg.Dir, "dir", "", "tree to index and to ask for (default: Go's own source)")
	flag.StringVar(&cfg.Scratch, "scratch", "", "folder for temporary state (default: the system's)")
	flag.IntVar(&cfg.Names, "names", 500, "names to draw")
	flag.IntVar(&cfg.Lines, "lines", 500, "lines to draw")
	flag.Uint64Var(&cfg.Seed, "seed", 1, "number that decides what is drawn")
	misses := flag.Int("misses", 10, "questions of each kind to print whose right passage did not come first")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, cfg, *misses); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "freshet-exact:", err)
		os.Exit(2)
	}
}

func measure(ctx context.Context, cfg exact.Config, misses int) error {
	if err := cfg.SetDefaults(); err != nil {
		return err
	}
	kinds, err := exact.Run(ctx, cfg, os.Stderr)
	if err != nil {
		return err
	}
	return exact.Print(os.Stdout, kinds, misses)
}
