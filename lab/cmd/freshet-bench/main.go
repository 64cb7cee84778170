// Command freshet-bench measures speed, memory, disk use and delays of the
// real program and prints them as tables. See `make bench`.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/freshet-dev/freshet/lab/speed"
	"github.com/freshet-dev/freshet/lab/system"
)

func main() {
	var cfg speed.Config
	flag.StringVar(&cfg.Binary, "freshet", "bin/freshet", "the program to measure")
	flag.StringVar(&cfg.Dir, "dir", "", "tree to index (default: Go's own source)")
	flag.StringVar(&cfg.Scratch, "scratch", "", "folder for temporary state (default: the system's)")
	flag.IntVar(&cfg.TreeFiles, "tree-files", 0, "files in the tree that is edited (default 5000)")
	flag.IntVar(&cfg.Edits, "edits", 0, "edits, idle and again during a bulk load (default 200)")
	flag.IntVar(&cfg.Pushed, "pushed", 0, "files changed by the push (default 100)")
	flag.IntVar(&cfg.Queries, "queries", 0, "queries of each measurement (default 500)")
	var servers system.Servers
	servers.Flags(flag.CommandLine, "compare the embedded stores with")
	file := flag.String("json", "", "also write the figures to this file")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, cfg, servers, *file); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "freshet-bench:", err)
		os.Exit(2)
	}
}

func measure(ctx context.Context, cfg speed.Config, servers system.Servers, file string) error {
	if err := errors.Join(cfg.SetDefaults(), cfg.Validate(), servers.Validate()); err != nil {
		return err
	}
	if servers.Given() {
		all, err := speed.Compare(ctx, cfg, servers, os.Stderr)
		if err != nil {
			return err
		}
		return errors.Join(write(file, all), speed.PrintCompared(os.Stdout, cfg.Dir, all))
	}
	rep, err := speed.Run(ctx, cfg, os.Stderr)
	if err != nil {
		return err
	}
	return errors.Join(write(file, rep), rep.Print(os.Stdout))
}

// write keeps the figures in a file, if one was asked for.
func write(file string, figures any) error {
	if file == "" {
		return nil
	}
	js, err := json.MarshalIndent(figures, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the figures: %w", err)
	}
	if err := os.WriteFile(file, append(js, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the figures: %w", err)
	}
	return nil
}
