package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
)

var (
	commandLine = regexp.MustCompile("`(?:freshet )?([^`]*)`")
	flagOfLine  = regexp.MustCompile(`(?:^| )--?([a-z][a-z-]*)`)
)

// What a person is told to type has to be a command, with flags that it takes.
func TestCommandOfEveryAction_IsThere(t *testing.T) {
	root := newRoot(&command.Program{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	search, _, err := root.Find([]string{"search"})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range document.ActionKinds {
		text := render.Action(document.Action{Do: kind})
		for _, m := range commandLine.FindAllStringSubmatch(text, -1) {
			line := m[1]
			if strings.HasPrefix(line, "kill ") {
				continue
			}
			cmd := search // a flag alone is one of the search that was asked, or of every command
			if !strings.HasPrefix(line, "-") {
				if cmd, _, err = root.Find(strings.Fields(line)); err != nil || cmd == root {
					t.Errorf("%s: there is no command `freshet %s`: %v", kind, line, err)
					continue
				}
			}
			for _, f := range flagOfLine.FindAllStringSubmatch(line, -1) {
				name := f[1]
				known := cmd.Flags().Lookup(name) != nil || root.PersistentFlags().Lookup(name) != nil || len(name) == 1 && cmd.Flags().ShorthandLookup(name) != nil
				if !known && !takes(root, line, name) {
					t.Errorf("%s: `freshet %s` does not take --%s", kind, line, name)
				}
			}
		}
	}
}

// takes reports whether a flag that stands alone in a line is one of some command:
// it is left out or added where the line was typed that failed.
func takes(root *cobra.Command, line, flag string) bool {
	if !strings.HasPrefix(line, "-") {
		return false
	}
	for _, cmd := range describable(root) {
		if cmd.Flags().Lookup(flag) != nil {
			return true
		}
	}
	return false
}
