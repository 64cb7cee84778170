// Command freshet-exact asks the real program for names and lines of a tree that
// have one right answer, and prints how often that comes first. See `make exact`.
package main

import (
	"context"
	"errors"
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
	flag.IntVar(&cfg.Signatures, "signatures", 300, "lines that define a function or a method to draw")
	flag.IntVar(&cfg.Frames, "frames", 200, "lines that a frame or a message of a compiler names to draw")
	flag.Uint64Var(&cfg.Seed, "seed", 1, "number that decides what is drawn")
	misses := flag.Int("misses", 10, "questions of each kind to print whose right passage did not come first")
	tasks := flag.String("tasks", "", "write what is drawn as tasks to this file, files by name as many as frames, and ask nothing")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if *tasks != "" {
		err = write(ctx, cfg, *tasks)
	} else {
		err = measure(ctx, cfg, *misses)
	}
	if err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "freshet-exact:", err)
		os.Exit(2)
	}
}

func write(ctx context.Context, cfg exact.Config, file string) (err error) {
	if err := cfg.SetDefaults(); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return exact.Tasks(ctx, cfg, f)
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
