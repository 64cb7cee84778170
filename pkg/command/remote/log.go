package remote

import (
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/render"
)

func newLog(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "log", Short: "List and accept what a damaged log has lost",
		Long: "The log is checked at each start. What its disk has damaged is made again from the sources. What only\n" +
			"the log had cannot be: documents that were put by request, the list of sources, trained models,\n" +
			"feedback, the audit log, keys, dismissed letters. It is named item by item, and `freshet verify` does not end as equal\n" +
			"until somebody accepts the loss.",
		Example: "  freshet log losses\n  freshet log accept-loss",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newLosses(p, "losses", "List what the log has lost and cannot make again", client.Losses, "nothing is lost"),
		newLosses(p, "accept-loss", "Accept what the log has lost: nobody is told of it any more", client.AcceptLosses, "there was nothing to accept"),
	)
	return cmd
}

// losses asks for a list of losses, and prints it.
func newLosses(p *command.Program, use, short string, of client.Endpoint[struct{}, contract.LossList], none string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		Example: "  freshet log " + use,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return Once(cmd.Context(), p, of, client.None, asJSON, func(reply contract.LossList) error {
				if len(reply.Losses) == 0 {
					p.Note(none)
				}
				return render.Losses(p.Stdout, reply.Losses)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the reply as it came over NATS")
	return cmd
}
