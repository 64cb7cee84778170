// Command freshet-lines asks the real program for the lines of a tree that match
// patterns, and compares each answer with ripgrep's, byte for byte. See `make grep`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/freshet-dev/freshet/lab/lines"
)

func main() {
	var cfg lines.Config
	flag.StringVar(&cfg.Binary, "freshet", "bin/freshet", "the program to measure")
	flag.StringVar(&cfg.Ripgrep, "rg", "rg", "ripgrep, to compare with; empty for nothing")
	flag.StringVar(&cfg.Dir, "dir", "", "tree to index and to ask for (default: Go's own source)")
	flag.StringVar(&cfg.Scratch, "scratch", "", "folder for temporary state (default: the system's)")
	flag.IntVar(&cfg.Patterns, "patterns", 300, "patterns to draw")
	flag.IntVar(&cfg.Scan, "scan", 50, "how many of them to ask also of an instance without trigrams")
	flag.Uint64Var(&cfg.Seed, "seed", 1, "number that decides what is drawn")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	differ, err := measure(ctx, cfg)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "freshet-lines:", err)
		os.Exit(2)
	}
	if differ > 0 {
		os.Exit(1)
	}
}

func measure(ctx context.Context, cfg lines.Config) (differ int, err error) {
	if err := cfg.SetDefaults(); err != nil {
		return 0, err
	}
	if cfg.Ripgrep != "" {
		if cfg.Ripgrep, err = exec.LookPath(cfg.Ripgrep); errors.Is(err, exec.ErrNotFound) {
			return 0, errors.New("ripgrep is not in the PATH: install it (Debian: apt install ripgrep; macOS: brew install ripgrep), or leave the comparison out with --rg ''")
		} else if err != nil {
			return 0, err
		}
	}
	with, without, err := lines.Compare(ctx, cfg, os.Stderr)
	if err != nil {
		return 0, err
	}
	return lines.Print(os.Stdout, with, without)
}
