package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

type changesCommand struct {
	*command.Program
	sources []string
	asJSON  bool
}

func newChanges(p *command.Program) *cobra.Command {
	c := &changesCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "changes",
		Short: "Print every change as it is accepted, with its token",
		Long: "changes prints a line for every version of a document that the log takes from now on, until Ctrl-C:\n" +
			"time, what happened, document, token. A marker says that all of a source is in the log as it was found,\n" +
			"of a repository with all of the commit.",
		Example: "  freshet changes --source api\n  freshet changes --json | jq -r 'select(.op == \"marker\") | .commit'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			messages := make(chan *nats.Msg, changesBacklog)
			if err := c.subscribe(cmd, nc, messages); err != nil {
				return err
			}
			if terminal.IsTerminal(p.Stderr) {
				p.Note("following changes, Ctrl-C ends")
			}
			return c.follow(cmd, nc, messages)
		},
	}
	cmd.Flags().StringArrayVar(&c.sources, "source", nil, "only the source of this `name` (may be repeated)")
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "print each change as it came over NATS, one a line")
	return cmd
}

// changesBacklog is how many changes may wait for a slow reader; what does not
// fit is lost, and said to be.
const changesBacklog = 64 << 10

// subscribe listens for changes. When it returns, none is missed.
func (c *changesCommand) subscribe(cmd *cobra.Command, nc *nats.Conn, into chan *nats.Msg) error {
	subjects := []string{contract.AllChanges}
	if len(c.sources) > 0 {
		subjects = nil
	}
	for _, name := range c.sources {
		if _, err := document.ParseSource(name); err != nil {
			return err
		}
		subjects = append(subjects, "freshet.changes."+name+".*")
	}
	for _, subject := range subjects {
		if _, err := nc.ChanSubscribe(subject, into); err != nil {
			return fmt.Errorf("listen on %s: %w", subject, err)
		}
	}
	// The answer comes behind the subscriptions.
	list, err := client.Sources.Ask(cmd.Context(), nc, client.None)
	if err != nil {
		return err
	}
	for _, name := range c.sources {
		if !slices.ContainsFunc(list.Sources, func(s contract.SourceInfo) bool { return string(s.Source) == name }) {
			return document.Errorf(document.NotFound, "there is no source %q: `freshet source list` names them", name)
		}
	}
	return nil
}

func (c *changesCommand) follow(cmd *cobra.Command, nc *nats.Conn, messages <-chan *nats.Msg) error {
	ended := nc.StatusChanged(nats.CLOSED, nats.DISCONNECTED)
	slow := make(chan error, 1)
	nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		select {
		case slow <- err:
		default:
		}
	})
	for {
		select {
		case m := <-messages:
			if err := c.printChange(m.Data); err != nil {
				return err
			}
		case err := <-slow:
			if errors.Is(err, nats.ErrSlowConsumer) {
				c.Note("changes came faster than they were read, so some are not shown; none is lost to the index")
			}
		case <-ended:
			return document.Errorf(document.Unavailable, "the connection to the instance ended: start freshet again, then this command")
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		}
	}
}

func (c *changesCommand) printChange(data []byte) error {
	if c.asJSON {
		return c.PrintJSON(data)
	}
	var change contract.Change
	if err := json.Unmarshal(data, &change); err != nil {
		return document.Errorf(document.VersionMismatch, "a change is not what this version of freshet understands (%w): use the version that is running", err)
	}
	return render.Change(c.Stdout, c.Style(), change)
}
