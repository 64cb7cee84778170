// Command freshet-siege keeps a freshet under fire and counts the answers that
// were checked. See `make siege`.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/freshet-dev/freshet/checks/siege"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// Exit codes: every answer was right, a promise was broken, it could not be
// tried.
const (
	clean = iota
	broken
	failed
)

func run(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet("freshet-siege", flag.ContinueOnError)
	cfg := siege.Config{Out: os.Stdout, ElasticURL: os.Getenv("ELASTIC_URL"), WeaviateURL: os.Getenv("WEAVIATE_URL")}
	totals := flags.Bool("totals", false, "print the sums of the ledger and end")
	from := flags.Uint64("from", 0, "with --totals: the first seed that counts")
	to := flags.Uint64("to", 0, "with --totals: the last seed that counts")
	flags.StringVar(&cfg.Mode, "mode", siege.Embedded, "`embedded`: one program, or servers: processes of each service over real servers, or calm: one program without blows, asked as fast as it answers")
	flags.StringVar(&cfg.Services, "services", "bin/services", "folder of the services' programs, for servers")
	flags.StringVar(&cfg.NATSConfig, "nats-config", "deploy/compose/nats.conf", "configuration of the NATS server, for servers")
	flags.StringVar(&cfg.Program, "program", "bin/freshet", "the freshet to besiege")
	flags.StringVar(&cfg.Ledger, "ledger", "", "file that rounds are added to (default: freshet/siege.jsonl in the user's cache folder)")
	flags.StringVar(&cfg.Folder, "folder", "", "where rounds have their folders (default: the system's for temporary files)")
	flags.DurationVar(&cfg.For, "for", 0, "how long to go on")
	flags.DurationVar(&cfg.Length, "round", 0, "length of a round (default: by its seed, one to three minutes)")
	flags.IntVar(&cfg.Rounds, "rounds", 0, "most rounds")
	flags.Uint64Var(&cfg.Seed, "seed", 0, "seed of the first round (default: goes on where the ledger ends)")
	flags.IntVar(&cfg.Writers, "writers", 0, "writers at the same time")
	flags.IntVar(&cfg.Readers, "readers", 0, "readers at the same time")
	flags.BoolVar(&cfg.Damage, "damage", false, "flip bits of the log while the program is down")
	if err := flags.Parse(args); err != nil {
		return failed
	}
	var err error
	if *totals {
		err = printTotals(cfg.Ledger, *from, *to)
	} else {
		var n int
		if n, err = siege.Run(ctx, cfg); err == nil && n > 0 {
			fmt.Fprintf(os.Stderr, "freshet-siege: %d rounds went wrong\n", n)
			return broken
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "freshet-siege:", err)
		return failed
	}
	return clean
}

func printTotals(ledger string, from, to uint64) (err error) {
	if ledger == "" {
		if ledger, err = siege.DefaultLedger(); err != nil {
			return err
		}
	}
	rounds, err := siege.Read(ledger)
	if err != nil {
		return err
	}
	return siege.Print(os.Stdout, siege.Sum(rounds, from, to))
}
