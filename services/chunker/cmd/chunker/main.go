// Command chunker runs the chunker service against a NATS server.
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
	"github.com/freshet-dev/freshet/services/chunker"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == chunker.ParserArgument {
		exit(chunker.ParserChild(os.Stdin, os.Stdout))
	}
	exit(run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "chunker:", err)
		os.Exit(2)
	}
	os.Exit(0)
}

func run() error {
	var cfg chunker.Config
	url := flag.String("nats", "nats://127.0.0.1:4222", "URL of the NATS server that carries the log")
	flag.StringVar(&cfg.Embedder, "embedder", "", "identity of the embedder that the chunks are for")
	flag.IntVar(&cfg.Target, "target", 0, "bytes up to which small neighbours of code are merged (default 1500)")
	flag.IntVar(&cfg.Parsers, "parsers", 0, "parser children (default 2)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b, err := bus.Connect(ctx, *url)
	if err != nil {
		return err
	}
	defer b.Close()
	svc, err := chunker.New(cfg, chunker.Deps{Bus: b, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err != nil {
		return err
	}
	return svc.Run(ctx)
}
