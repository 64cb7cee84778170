// Command freshet-corpora makes the task sets that this project measures itself
// with. See `make eval`.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/freshet-dev/freshet/lab/corpora"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
)

func main() {
	cutter.ChildOrReturn()
	var cfg corpora.Config
	flag.StringVar(&cfg.Out, "out", "", "folder that gets a folder of each set, outside of any git repository")
	flag.StringVar(&cfg.Project, "project", ".", "checkout of this project")
	flag.IntVar(&cfg.Tasks, "tasks", 200, "most tasks of each kind in a set")
	flag.Uint64Var(&cfg.Seed, "seed", 1, "chooses among what there is")
	sets := flag.String("sets", strings.Join(corpora.Names, ","), "sets to make, separated by commas")
	flag.Parse()
	cfg.Sets = strings.Split(*sets, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if cfg.Out == "" {
		fmt.Fprintln(os.Stderr, "freshet-corpora: there is no folder for the sets: name one with -out")
		os.Exit(2)
	}
	if err := corpora.Make(ctx, cfg, os.Stdout); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "freshet-corpora:", err)
		os.Exit(2)
	}
}
