// Command freshet-overload asks the real program ten thousand questions at once
// and prints what that means to somebody else. See `make overload`.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/freshet-dev/freshet/checks/overload"
)

func main() {
	cfg := overload.Config{}
	flag.StringVar(&cfg.Binary, "freshet", "bin/freshet", "the program to measure")
	flag.StringVar(&cfg.Dir, "dir", ".", "tree to index")
	flag.IntVar(&cfg.Burst, "burst", 10_000, "questions that the first client sends at once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := overload.Run(ctx, cfg, os.Stdout); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "freshet-overload:", err)
		os.Exit(2)
	}
}
