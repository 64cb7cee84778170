package remote

import (
	"context"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
)

// changeFlags choose the letters of a change.
type changeFlags struct {
	letterFlags
	all, dismissed bool
}

// check refuses a command line that names nothing, or twice.
func (f *changeFlags) check(args []string) error {
	switch {
	case f.all && len(args) > 0:
		return document.Errorf(document.InvalidRequest, "there are paths and --all: leave one of them away")
	case !f.all && len(args)+len(f.sources)+len(f.stages)+len(f.kinds) == 0:
		return document.Errorf(document.InvalidRequest, "nothing is named: give paths, --source, --stage or --kind, or --all for every document that `freshet dlq` lists")
	}
	return nil
}

func (f *changeFlags) add(cmd *cobra.Command) {
	f.letterFlags.add(cmd)
	cmd.Flags().BoolVar(&f.all, "all", false, "every document that 'freshet dlq' lists, or of those the ones that the other flags choose")
}

// change marks letters with a request, and returns them.
func (f *changeFlags) change(ctx context.Context, nc *nats.Conn, with client.Endpoint[contract.DeadChange, contract.DeadChangeReply], args []string) ([]contract.DeadRef, render.Places, error) {
	c, err := f.choose(ctx, nc, args, f.dismissed)
	if err != nil {
		return nil, c.places, err
	}
	list := []contract.DeadRef{}
	for _, filter := range c.filters {
		_, err := pages(func(after string) (string, int, error) {
			rep, err := with.Ask(ctx, nc, contract.DeadChange{Filter: filter, All: f.all, After: after})
			list = append(list, rep.Letters...)
			return rep.Next, 0, err
		})
		if err != nil {
			return list, c.places, err
		}
	}
	if len(list) == 0 && len(args) > 0 {
		return nil, c.places, document.Errorf(document.NotFound, "no stage has given up on %s: `freshet dlq list --all` lists what is known, dismissed ones included", strings.Join(args, ", "))
	}
	return list, c.places, nil
}

func newDlqDrop(p *command.Program) *cobra.Command {
	var f changeFlags
	cmd := &cobra.Command{
		Use: "drop [PATH…]", Short: "Dismiss documents that a stage gave up on: they are no longer listed as failed",
		Example: "  freshet dlq drop src/generated.go\n  freshet dlq drop --all --kind killed",
		Long: "drop dismisses dead letters: the versions stay out of the index, and nobody is told of them any more.\n" +
			"When the next version of such a document fails too, it is listed again.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			list, places, err := f.change(cmd.Context(), nc, client.DropDead, args)
			if err != nil {
				return err
			}
			if f.json {
				return p.Print(contract.DeadChangeReply{Letters: list})
			}
			if len(list) == 0 {
				p.Note("there was nothing to dismiss")
			}
			return render.Dismissed(p.Stdout, p.Style(), places, list)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the letters as JSON")
	return cmd
}
