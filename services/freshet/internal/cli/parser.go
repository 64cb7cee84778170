package cli

import (
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
)

// parserChild is how the chunker starts its parsers: this executable again.
func newParserChild(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use: cutter.ChildArgument, Short: "Parse documents for the chunker (internal)", Hidden: true,
		RunE: func(*cobra.Command, []string) error { return cutter.Child(p.Stdin, p.Stdout) },
	}
}
