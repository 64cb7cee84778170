package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/document"
)

// explainArguments makes a wrong number of arguments of cmd, or of a command
// below it, an error that tells what the command takes.
func explainArguments(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) == nil {
				return nil
			}
			return wrongArguments(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		explainArguments(sub)
	}
}

func wrongArguments(cmd *cobra.Command, args []string) error {
	if !cmd.HasAvailableSubCommands() || len(args) == 0 {
		return document.Errorf(document.InvalidRequest, "`%s` got %s: use it as `%s`, see `%s --help`",
			cmd.CommandPath(), counted(len(args)), cmd.UseLine(), cmd.CommandPath())
	}
	cmd.SuggestionsMinimumDistance = 2 // two letters wrong, as cobra has it elsewhere
	meant := ""
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		meant = " did you mean " + strings.Join(near, " or ") + "?"
	}
	return document.Errorf(document.InvalidRequest, "%s has no command %q:%s see `%s --help`",
		cmd.CommandPath(), args[0], meant, cmd.CommandPath())
}

func counted(n int) string {
	switch n {
	case 0:
		return "no argument"
	case 1:
		return "1 argument"
	}
	return strconv.Itoa(n) + " arguments"
}
