package remote

import (
	"context"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
)

func newRebuild(p *command.Program) *cobra.Command {
	var accept, asJSON bool
	cmd := &cobra.Command{
		Use:   "rebuild [BUILD]",
		Short: "Show what is built in another way than before, or accept one that is held",
		Long: "Other sizes of passages, or another embedding model, mean that passages and vectors are made again.\n" +
			"rebuild shows what differs, how far that is, and what it takes. One that is larger than the limits is\n" +
			"held: what was there before answers until --accept lets it begin. That holds for this one build, across\n" +
			"restarts; a later change is asked about again. With BUILD it is accepted only if that is the one that is held.",
		Example: "  freshet rebuild\n  freshet rebuild --accept",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !accept {
				return document.Errorf(document.InvalidRequest, "there is a build, and nothing is said of it: add --accept to let it begin, or leave it away")
			}
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			if accept {
				return acceptBuild(cmd.Context(), p, nc, args, asJSON)
			}
			st, err := client.Status.Ask(cmd.Context(), nc, client.None)
			if err != nil {
				return err
			}
			if asJSON {
				return p.Print(st.Next)
			}
			if st.Next == nil {
				p.Note("nothing is built in another way than before")
			}
			return render.NextBuild(p.Stdout, st.Next)
		},
	}
	cmd.Flags().BoolVar(&accept, "accept", false, "let the build begin that is held")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the reply as it came over NATS; without --accept what the status says of it")
	return cmd
}

// acceptBuild lets the build begin that is held.
func acceptBuild(ctx context.Context, p *command.Program, nc *nats.Conn, args []string, asJSON bool) error {
	var req contract.BuildAccept
	if len(args) > 0 {
		req.Build = contract.BuildID(args[0])
	}
	raw, accepted, err := client.AcceptBuild.Raw(ctx, nc, req)
	if err != nil {
		return err
	}
	if asJSON {
		return p.PrintJSON(raw)
	}
	p.Note(render.Accepted(accepted))
	return nil
}
