package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/daemon"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

func newStop(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use: "stop", Short: "End the freshet that runs on the state folder", Args: cobra.NoArgs,
		Long: "stop has the freshet of the state folder write down what it has in hand and end, in the background or in a\n" +
			"terminal, waits until it is gone, and says what that was. What is indexed stays.",
		Example: "  freshet stop\n  freshet stop --data /tmp/state",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.NATS != "" {
				return document.Errorf(document.InvalidRequest, "stop ends the freshet of a state folder, not what uses a server: leave --nats out, or end that where it runs")
			}
			had := whatRuns(cmd.Context(), p.Data)
			r, err := daemon.Stop(cmd.Context(), p.Data)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "ended freshet (pid %d), which ran for %s%s\n", r.PID, time.Since(r.Started).Round(time.Second), had)
			return err
		},
	}
}

// stopLook is how long the status may take before a stop does without it.
const stopLook = time.Second

// whatRuns says what the running instance keeps; "" where it does not say.
func whatRuns(ctx context.Context, data string) string {
	ctx, cancel := context.WithTimeout(ctx, stopLook)
	defer cancel()
	path, err := instance.Locate(data)
	if err != nil {
		return ""
	}
	r, err := instance.Read(path)
	if err != nil {
		return ""
	}
	nc := reach(r)
	if nc == nil {
		return ""
	}
	defer nc.Close()
	st, err := client.Status.Ask(ctx, nc, client.None)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(", with %s in %s, which stay", terminal.Documents(st.Documents), terminal.Plural(len(st.Sources), "source", "sources"))
}
