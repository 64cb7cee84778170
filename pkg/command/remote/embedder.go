package remote

import (
	"context"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// NewEmbedder is the command of what makes vectors; set is the one that chooses it.
func NewEmbedder(p *command.Program, set *cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "embedder",
		Short: "Tell what makes the vectors of each collection, and choose it",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newEmbedderList(p), set)
	return cmd
}

func newEmbedderList(p *command.Program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the collections with their embedders",
		Long: "list says of each collection what makes its vectors, how long these are, how many documents and passages it\n" +
			"has and how many of these have a vector; why what the configuration says is not what it has, and what to do\n" +
			"next; and what the servers of vectors have cost so far, where they have a price. `freshet embedder set`\n" +
			"chooses another one.",
		Example: "  freshet embedder list\n  freshet embedder list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			list, err := embeddersOf(cmd.Context(), p, nc)
			if err != nil {
				return err
			}
			if asJSON {
				return p.Print(list)
			}
			return list.Write(p.Stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// embeddersOf asks what makes the vectors, and what there is of them.
func embeddersOf(ctx context.Context, p *command.Program, nc *nats.Conn) (out render.Embedders, err error) {
	status, err := client.Status.Ask(ctx, nc, client.None)
	if err != nil {
		return out, err
	}
	if status.Serving == nil {
		return out, document.Errorf(document.Unavailable, "the first index is not complete yet: ask again once it is").Do(document.DoStatusShow)
	}
	counts := map[document.Collection]contract.ReindexReply{}
	for _, name := range status.Serving.Collections() {
		if counts[name], err = client.Reindex.Ask(ctx, nc, contract.ReindexRequest{Collection: name}); err != nil {
			return out, err
		}
	}
	out = render.EmbeddersOf(status, counts)
	choice, err := choiceOf(ctx, p, nc)
	out.Explain(status, choice)
	return out, err
}

// choiceOf is what the configuration of the running instance says, and another one that
// lies beside it.
func choiceOf(ctx context.Context, p *command.Program, nc *nats.Conn) (c render.Choice, err error) {
	look, err := client.Reload.Ask(ctx, nc, contract.ReloadRequest{Do: contract.ReloadLook})
	switch document.KindOf(err) {
	case "":
		c.Look = &look
	case document.Unavailable: // each service is a process of its own, which reads its own
		if rpc.Nobody(err) {
			return c, nil
		}
		c.Refused = err
	default:
		c.Refused = err
		return c, ctx.Err()
	}
	if p.NATS != "" || c.Look == nil {
		return c, ctx.Err()
	}
	cfg, file, err := instance.Load("", p.Data)
	if err == nil && file != look.File { // what cannot be read may say anything, and nobody reads it
		c.File, c.Says = file, map[document.Collection]config.Embedder{}
		for _, name := range cfg.Collections.Names() {
			if e := cfg.EmbedderOf(name); e != config.Default().EmbedderOf(name) {
				c.Says[name] = e
			}
		}
	}
	return c, nil
}
