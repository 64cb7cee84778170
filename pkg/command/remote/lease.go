package remote

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// leaseUsage is that of the flag of the commands whose answers can be leased.
const leaseUsage = "remember what is given under this `lease`, and say what of it changed since: new, or the id of an answer"

func newLease(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{Use: "lease", Short: "See whether what was given has changed"}
	cmd.AddCommand(newLeaseCheck(p))
	return cmd
}

func newLeaseCheck(p *command.Program) *cobra.Command {
	var token string
	var deadline time.Duration
	var settle, json bool
	cmd := &cobra.Command{
		Use:   "check ID",
		Short: "Say what of a lease has changed",
		Long: "check says which of the passages that were given under a lease changed, moved or are gone, one a line. Answers of search,\n" +
			"context, grep and read open one with --lease new. What is told is told again, until an answer with the lease tells it, or --settle.\n" +
			"It exits 0 where all of it stands as it was given, 1 where something does not, 2 on an error.",
		Example: "  freshet lease check mfzwizlsnbxxezltonuxezlson",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req := contract.LeaseCheck{Lease: args[0], Settle: settle, Token: token}
			var err error
			if req.DeadlineMS, err = deadlineOf(cmd, deadline); err != nil {
				return err
			}
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			raw, news, err := client.CheckLease.Raw(cmd.Context(), nc, req)
			if err != nil {
				return err
			}
			if json {
				err = p.PrintJSON(raw)
			} else {
				places := PlacesOf(cmd.Context(), nc)
				if err = render.LeaseChanges(p.Stdout, p.Style(), places, &news); err == nil && len(news.Changes) == 0 {
					p.Note("all of it stands as it was given: " + terminal.Plural(news.Holds, "passage", "passages"))
				}
			}
			if err == nil && len(news.Changes)+news.Forgotten > 0 {
				return command.NoHits
			}
			return err
		},
	}
	cmd.Flags().StringVar(&token, "token", "", "wait for this `token`; everything accepted so far is there without")
	cmd.Flags().DurationVar(&deadline, "deadline", 0, "`time` for the answer, such as 500ms (default 2s)")
	cmd.Flags().BoolVar(&settle, "settle", false, "take what is told out of the lease")
	cmd.Flags().BoolVar(&json, "json", false, "print the reply as it came over NATS")
	return cmd
}
