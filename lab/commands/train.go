package commands

import (
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
)

// Train returns `freshet train`, with the commands below it.
func Train(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Learn from tasks whose answers are known",
		Long:  "train learns from tasks, and keeps or serves what it learned only where that is better on tasks that were held back.",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTrainEmbedder(p), newTrainReranker(p))
	return cmd
}
