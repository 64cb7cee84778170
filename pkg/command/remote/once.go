package remote

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Once asks the running instance once, and prints the reply as it came over NATS, or has
// write print it for a person.
func Once[Req, Rep any](ctx context.Context, p *command.Program, of client.Endpoint[Req, Rep], req Req, asJSON bool, write func(Rep) error) error {
	nc, err := p.Dial(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	raw, reply, err := of.Raw(ctx, nc, req)
	if err != nil {
		return err
	}
	if asJSON {
		return p.PrintJSON(raw)
	}
	return write(reply)
}

// deadlineOf is the value of --deadline in milliseconds, 0 where it is not given.
func deadlineOf(cmd *cobra.Command, deadline time.Duration) (int, error) {
	if !cmd.Flags().Changed("deadline") {
		return 0, nil
	}
	if deadline < time.Millisecond {
		return 0, document.Errorf(document.InvalidRequest, "the deadline is %s: give at least 1ms", deadline)
	}
	return int(deadline.Milliseconds()), nil
}
