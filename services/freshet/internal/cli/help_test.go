package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/freshet-dev/freshet/pkg/command"
)

// everyCommand calls fn for each command that people run.
func everyCommand(cmd *cobra.Command, fn func(*cobra.Command)) {
	if cmd.Hidden {
		return
	}
	if !cmd.HasSubCommands() {
		fn(cmd)
	}
	for _, sub := range cmd.Commands() {
		everyCommand(sub, fn)
	}
}

func TestEveryHelp_HasAnExampleThatRuns(t *testing.T) {
	everyCommand(newRoot(&command.Program{}), func(cmd *cobra.Command) {
		if cmd.Example == "" {
			t.Errorf("`%s` has no example", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			at := strings.Index(line, cmd.CommandPath())
			if at < 0 {
				if !strings.Contains(line, "freshet ") {
					t.Errorf("`%s`: the example %q is of something else", cmd.CommandPath(), line)
				}
				continue
			}
			args := words(line[at+len(cmd.CommandPath()):])
			probe := findCommand(t, cmd.CommandPath())
			if err := probe.ParseFlags(args); err != nil {
				t.Errorf("%q: %v", line, err)
				continue
			}
			if probe.Args != nil {
				if err := probe.Args(probe, probe.Flags().Args()); err != nil {
					t.Errorf("%q: %v", line, err)
				}
			}
		}
	})
}

// findCommand returns a command that has parsed nothing yet.
func findCommand(t *testing.T, path string) *cobra.Command {
	t.Helper()
	cmd, _, err := newRoot(&command.Program{}).Find(strings.Fields(path)[1:])
	if err != nil {
		t.Fatal(err)
	}
	return cmd
}

// words splits a command line as far as the examples need it.
func words(line string) []string {
	line, _, _ = strings.Cut(line, ")") // of $(freshet …)
	var out []string
	for i, part := range strings.Split(strings.TrimSpace(line), "\"") {
		if i%2 == 1 { // between quotes
			out = append(out, part)
			continue
		}
		for w := range strings.FieldsSeq(part) {
			if w == "|" || w == ">" || w == "&&" || strings.HasPrefix(w, "<") {
				return out
			}
			out = append(out, w)
		}
	}
	return out
}

func TestHelp_SaysWhatTheValueOfAFlagIs(t *testing.T) {
	general := []string{"string", "strings", "stringArray", "int", "uint", "float", "duration"}
	everyCommand(newRoot(&command.Program{}), func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			name, usage := pflag.UnquoteUsage(f)
			switch {
			case f.Value.Type() == "bool" && name != "":
				t.Errorf("%s --%s takes no value, its help shows %q: %s", cmd.CommandPath(), f.Name, name, usage)
			case slices.Contains(general, name):
				t.Errorf("%s --%s: %q does not say what the value is: name it in backquotes: %s", cmd.CommandPath(), f.Name, name, usage)
			}
		})
	})
}
