package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/services/freshet"
)

func newConfiguration(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Check and print the configuration, and have it read again", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	check := &cobra.Command{
		Use: "check [FILE]", Short: "Check a configuration file", Args: cobra.MaximumNArgs(1),
		Long:    "check says that a configuration file is valid, or names the line, the mistake and what would be right.",
		Example: "  freshet config check freshet.yaml",
		RunE: func(_ *cobra.Command, args []string) error {
			file := first(args)
			cfg, err := config.Load(file, instance.Environ()...)
			if err != nil {
				return err
			}
			if err := freshet.Check(cfg); err != nil {
				return err
			}
			if file == "" {
				file = "the configuration without a file"
			}
			_, err = fmt.Fprintln(p.Stdout, file+" is valid")
			return err
		},
	}
	show := &cobra.Command{
		Use: "print [FILE]", Short: "Print every key with its value and what it means", Args: cobra.MaximumNArgs(1),
		Long: "print shows every key with its value, its meaning and its limits: the defaults, or what FILE and the\n" +
			"environment come to. Passwords and keys print as `(secret)`.",
		Example: "  freshet config print > freshet.yaml",
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := config.Load(first(args), instance.Environ()...)
			if err != nil {
				return err
			}
			text, err := cfg.YAML()
			if err != nil {
				return err
			}
			_, err = p.Stdout.Write(text)
			return err
		},
	}
	cmd.AddCommand(check, show, remote.NewReload(p))
	return cmd
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
