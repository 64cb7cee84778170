package remote

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
)

// reindexFlags are those of what changes the index.
type reindexFlags struct {
	yes, wait, json bool
	collection      document.Collection // "" is all
}

func newReindex(p *command.Program) *cobra.Command {
	var f reindexFlags
	cmd := &cobra.Command{
		Use:   "reindex [COLLECTION]",
		Short: "Make the index once more beside the one that answers",
		Long: "reindex makes all passages and indexes once more, out of the log, although no setting has changed. It says\n" +
			"first what that takes, and asks on a terminal. What was there before answers meanwhile, and follows changes;\n" +
			"every vector that still holds is taken over. Once the new one is complete, it takes the place in one step.\n" +
			"The former one stays as long as generations.grace says, and `freshet reindex rollback` has it answer again.\n" +
			"With a COLLECTION (code, docs, or one of your own) that one alone is made once more; nothing of the others is touched.",
		Example: "  freshet reindex\n  freshet reindex docs\n  freshet reindex --yes --wait",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				f.collection = document.Collection(args[0])
			}
			return f.run(cmd.Context(), p, contract.ReindexBegin)
		},
	}
	f.add(cmd)
	cmd.AddCommand(newReindexStatus(p), newReindexRollback(p))
	return cmd
}

func newReindexRollback(p *command.Program) *cobra.Command {
	var f reindexFlags
	cmd := &cobra.Command{
		Use:   "rollback",
		Short: "Have the index answer that was there before the last reindex",
		Long: "rollback makes the former index answer again: at once where the new one is not complete, else as soon as it\n" +
			"has caught up with what changed since. Its passages and vectors are in the log as long as generations.grace says.",
		Example: "  freshet reindex rollback --yes",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), p, contract.ReindexRollback)
		},
	}
	f.add(cmd)
	return cmd
}

func newReindexStatus(p *command.Program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Tell how far the index is that is made once more, and what there is to go back to",
		Example: "  freshet reindex status --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return Once(cmd.Context(), p, client.Reindex, contract.ReindexRequest{}, asJSON, func(told contract.ReindexReply) error {
				return render.Reindex(p.Stdout, told)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the reply as it came over NATS")
	return cmd
}

func (f *reindexFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&f.wait, "wait", false, "wait until it answers; on a terminal it does so anyway")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the last reply as it came over NATS")
}

// run tells what is to be done, asks, and has it done.
func (f *reindexFlags) run(ctx context.Context, p *command.Program, do string) error {
	nc, err := p.Dial(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	told, err := client.Reindex.Ask(ctx, nc, contract.ReindexRequest{Collection: f.collection})
	if err != nil {
		return err
	}
	if do == contract.ReindexBegin && told.Next == "" {
		p.Note(render.ReindexTakes(told))
	}
	switch {
	case f.yes:
	case !p.CanAsk():
		return document.Errorf(document.InvalidRequest, "nobody is here to be asked: add --yes")
	case !p.Agree(ctx, render.ReindexQuestion(do, f.collection)):
		p.Note("nothing is changed")
		return nil
	}
	raw, _, err := client.Reindex.Raw(ctx, nc, contract.ReindexRequest{Do: do, Collection: f.collection})
	if err != nil {
		return err
	}
	if !f.wait && !p.Live().There() {
		if f.json {
			return p.PrintJSON(raw)
		}
		p.Note("it is under way: `freshet reindex status` tells how far it is")
		return nil
	}
	if raw, told, err = follow(ctx, p, nc); err != nil {
		return err
	}
	if f.json {
		return p.PrintJSON(raw)
	}
	return render.Reindex(p.Stdout, told)
}
