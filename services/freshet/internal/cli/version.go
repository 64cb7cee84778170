package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/process"
)

func newVersion(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Long:    "version prints the version, the commit that it was built of, the system, and the version of Go that built it.",
		Example: "  freshet version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(p.Stdout, versionLine())
			return err
		},
	}
}

// versionLine is what `freshet version` and `freshet --version` print.
func versionLine() string {
	version := process.Version
	if commit := process.Commit(); commit != "" {
		version += " (" + commit + ")"
	}
	return fmt.Sprintf("freshet %s %s/%s %s\n", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
}
