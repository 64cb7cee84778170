package mcpserver

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/pkg/tokenizer"
)

// Main runs the program freshet-mcp with its arguments until the client leaves, and
// returns the exit code.
func Main(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("freshet-mcp", flag.ContinueOnError)
	flags.SetOutput(stderr)
	o := Options{Version: process.Version}
	flags.StringVar(&o.NATS, "nats", "", "`URL` of the NATS server of the running freshet")
	flags.StringVar(&o.Data, "data", "", "state `folder` of the running freshet")
	flags.StringVar(&o.Tokenizer, "tokenizer", "o200k_base", "`name` of what tokens are counted by: "+strings.Join(tokenizer.Names(), " or "))
	flags.StringVar(&o.Config, "config", "", "configuration `file` of a freshet that is started")
	flags.BoolVar(&o.NoStart, "no-start", false, "start no freshet, and have no folder watched")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return process.ExitDone
		}
		return process.ExitError
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	s, err := New(o)
	if err == nil && flags.NArg() > 0 {
		err = document.Errorf(document.InvalidRequest, "freshet-mcp takes flags only, and got %q", flags.Arg(0))
	}
	if err == nil {
		err = s.Run(ctx)
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "freshet-mcp: "+terminal.Printable(err.Error()))
		return process.ExitError
	}
	return process.ExitDone
}
