// Command watcher runs the watcher service against a NATS server.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/services/watcher"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "watcher:", err)
		os.Exit(2)
	}
}

func run() error {
	var cfg watcher.Config
	url := flag.String("nats", "nats://127.0.0.1:4222", "URL of the NATS server that carries the log")
	flag.StringVar(&cfg.StateDir, "data", "", "freshet's own state folder, which is never indexed")
	flag.StringVar(&cfg.Git, "git", "auto", "what reads repositories: auto, git or go-git")
	flag.DurationVar(&cfg.Rescan, "rescan", 0, "time between full comparisons (default 10m)")
	flag.Parse()
	cfg.Roots = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b, err := bus.Connect(ctx, *url)
	if err != nil {
		return err
	}
	defer b.Close()
	if err := b.EnsureStreams(ctx); err != nil {
		return err
	}
	svc, err := watcher.New(cfg, b, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	return svc.Run(ctx)
}
