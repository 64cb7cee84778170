package remote

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/freshet-dev/freshet/pkg/document"
)

// ExplainArguments makes a wrong number of arguments of cmd, or of a command
// below it, an error that tells what the command takes.
func ExplainArguments(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) == nil {
				return nil
			}
			return WrongArguments(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		ExplainArguments(sub)
	}
}

// WrongArguments is the error for arguments that a command does not take.
func WrongArguments(cmd *cobra.Command, args []string) error {
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

// WrongFlag says where help is. A question may well begin with what it leaves out, as in
// -path:vendor/, which is taken for flags.
func WrongFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedShortnames()) > 1 && takesText.MatchString(cmd.Use) {
		return document.Errorf(document.InvalidRequest, "-%s is no flag: what begins with - stands behind --, as in `%s -- \"-%s\"`, see `%s --help`",
			unknown.GetSpecifiedShortnames(), cmd.CommandPath(), unknown.GetSpecifiedShortnames(), cmd.CommandPath())
	}
	return fmt.Errorf("%w: see `%s --help`", err, cmd.CommandPath())
}

// takesText tells the commands that take a question or a pattern.
var takesText = regexp.MustCompile(`QUERY|QUESTION|PATTERN`)
