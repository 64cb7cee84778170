package cli

import "github.com/spf13/cobra"

func (p *Program) train() *cobra.Command {
	cmd := &cobra.Command{
		Use: "train", Short: "Train what finds and ranks on your own files", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.trainEmbedder())
	return cmd
}
