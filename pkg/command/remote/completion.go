package remote

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/language"
)

// completionPatience is how long a shell waits for the instance's sources when
// a person presses the tabulator key.
const completionPatience = 700 * time.Millisecond

// Complete has the shell's completion know the values of flags and arguments
// that are not files, for cmd and all below it.
func Complete(p *command.Program, cmd *cobra.Command) {
	for name, list := range map[string]func() []string{
		"source": sourceNames(p),
		"lang":   language.Names,
		"stage":  stageNames,
		"kind":   failureKinds,
	} {
		if cmd.Flags().Lookup(name) != nil {
			// It fails only where one is registered already.
			_ = cmd.RegisterFlagCompletionFunc(name, oneOf(list))
		}
	}
	if cmd.Name() == "remove" && cmd.Parent().Name() == "source" {
		cmd.ValidArgsFunction = oneOf(sourceNames(p))
	}
	for _, sub := range cmd.Commands() {
		Complete(p, sub)
	}
}

// oneOf completes a value that is one of a list, never a file.
func oneOf(list func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, name := range list() {
			if strings.HasPrefix(name, begun) {
				out = append(out, name)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// sourceNames returns what asks the running instance; without one there are none.
func sourceNames(p *command.Program) func() []string {
	return func() []string {
		ctx, cancel := context.WithTimeout(context.Background(), completionPatience)
		defer cancel()
		nc, err := p.Dial(ctx)
		if err != nil {
			return nil
		}
		defer nc.Close()
		var out []string
		for _, s := range sourceRoots(ctx, nc).Sources {
			out = append(out, string(s.Source))
		}
		slices.Sort(out)
		return out
	}
}

func stageNames() []string {
	var out []string
	for _, s := range contract.Stages {
		out = append(out, string(s))
	}
	return out
}

func failureKinds() []string {
	var out []string
	for _, k := range contract.FailureKinds {
		out = append(out, string(k))
	}
	return out
}
