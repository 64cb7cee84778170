package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet"
)

type indexCommand struct {
	*command.Program
	config string // file, where there is no running instance
	accept bool   // also what is larger than the limits
}

func newIndex(p *command.Program) *cobra.Command {
	c := &indexCommand{Program: p}
	cmd := &cobra.Command{
		Use:     "index PATH",
		Example: "  freshet index ~/archive",
		Short:   "Index a folder or git repository once, without watching it",
		Long: "index compares PATH with the log and exits when everything found is searchable. The running\n" +
			"instance does it where there is one, else this process does. The source is registered as not\n" +
			"watched: answers leave it out unless it is asked for with --source. A source that the running\n" +
			"instance watches already stays watched.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, err := locate(p, args[0])
			if err != nil {
				return err
			}
			nc, err := p.Dial(cmd.Context())
			switch {
			case err == nil:
				defer nc.Close()
				return c.there(cmd.Context(), nc, root)
			case document.KindOf(err) == document.NotFound && p.NATS == "" && os.Getenv(instance.EnvURL) == "":
				return c.here(cmd.Context(), root)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&c.accept, "accept", false, "index it although it is larger than the limits")
	cmd.Flags().StringVar(&c.config, "config", "", "configuration `file`, used where no instance runs")
	return cmd
}

// here runs the pipeline until it is settled.
func (c *indexCommand) here(ctx context.Context, root string) error {
	cfg, _, err := instance.Load(c.config, c.Data)
	if err != nil {
		return err
	}
	cfg.Sources = []config.Source{{Root: root}} // and nothing else of the file
	progress := remote.ProgressOn(c.Program)
	var last contract.StatusReply
	err = freshet.Up(ctx, freshet.Options{
		Config: cfg, Once: true, Log: c.Logger(cfg.Log),
		Progress: progress.Show,
		Accept:   acceptance(c.Program, progress, c.accept),
		Ready:    func(r freshet.Running) { last = r.Status },
	})
	progress.Clear()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return c.indexed(root, last)
}

// acceptance decides about a source that is larger than the limits: as accept says,
// or as a person does.
func acceptance(p *command.Program, progress remote.Progress, accept bool) func(context.Context, contract.SourceInfo) (bool, error) {
	return func(ctx context.Context, held contract.SourceInfo) (bool, error) {
		refusal := document.Errorf(document.TooLarge, "%s is held: %s", held.Root, held.Held).With(document.ActionsAbout(held.Held, held.Actions)...)
		switch {
		case accept:
			return true, nil
		case !p.CanAsk():
			return false, refusal
		}
		progress.Clear()
		if !p.Confirm(ctx, render.Error(refusal)) {
			return false, declined(held.Root)
		}
		return true, nil
	}
}

// settleEvery is the time between looks at the running instance.
const settleEvery = 200 * time.Millisecond

// there lets the running instance do it.
func (c *indexCommand) there(ctx context.Context, nc *nats.Conn, root string) error {
	if _, err := addSource(ctx, c.Program, nc, contract.SourceAdd{Root: root, Once: true, Accept: c.accept}); err != nil {
		return err
	}
	progress := remote.ProgressOn(c.Program)
	defer progress.Clear()
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	for {
		st, err := client.Status.Ask(ctx, nc, client.None)
		if err != nil {
			return err
		}
		if idle(st) {
			progress.Clear()
			return c.indexed(root, st)
		}
		progress.Show(st)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// idle reports whether no stage has anything left to do.
func idle(st contract.StatusReply) bool {
	for _, n := range st.Pending {
		if n > 0 {
			return false
		}
	}
	return true
}

func (c *indexCommand) indexed(root string, st contract.StatusReply) error {
	for _, s := range st.Sources {
		if s.Root == root {
			_, err := fmt.Fprintf(c.Stdout, "indexed %s as source %s: %s, %d skipped\n", root, s.Source, terminal.Documents(s.Documents), s.Skipped)
			return err
		}
	}
	_, err := fmt.Fprintf(c.Stdout, "indexed %s\n", root)
	return err
}
