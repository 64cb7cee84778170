package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/process"
)

func (p *Program) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(p.Stdout, "freshet %s %s/%s %s\n", process.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
			return err
		},
	}
}
