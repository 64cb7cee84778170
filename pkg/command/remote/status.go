package remote

import (
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/render"
)

func newStatus(p *command.Program) *cobra.Command {
	var asJSON, usage bool
	cmd := &cobra.Command{
		Use:     "status",
		Example: "  freshet status\n  freshet status --usage\n  freshet status --json",
		Short:   "Show what is indexed, what waits, and what is wrong",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return Once(cmd.Context(), p, client.Status, client.None, asJSON, func(st contract.StatusReply) error {
				if usage {
					return render.Usage(p.Stdout, p.Style(), st.Usage)
				}
				return render.Status(p.Stdout, p.Style(), st)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the reply as it came over NATS")
	cmd.Flags().BoolVar(&usage, "usage", false, "show what was asked, and what the answers gave beside what whole files would have been")
	cmd.MarkFlagsMutuallyExclusive("json", "usage")
	return cmd
}
