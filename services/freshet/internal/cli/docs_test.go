package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const reference = "../../../../docs/reference/cli.md"

var (
	commandHeading = regexp.MustCompile("^##+ `(freshet [^`]*)`$")
	flagRow        = regexp.MustCompile("^\\| ((?:`-[^`]+`(?:, )?)+)[^|]*\\| ([^|]*)\\|")
	flagName       = regexp.MustCompile("`(--?)([a-z-]+)`")
)

// described is a command as the reference has it.
type described struct {
	use   string            // "freshet source add PATH"
	flags map[string]string // by name, with the default that stands there
	short map[string]string // shorthand by name
}

// readReference returns the commands of the reference by their path; the flags
// of every command stand under "".
func readReference(t *testing.T) map[string]described {
	t.Helper()
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]described{"": newDescribed("")}
	at := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if m := commandHeading.FindStringSubmatch(line); m != nil {
			at = pathOf(m[1])
			if _, twice := out[at]; twice {
				t.Errorf("%s stands there twice", at)
			}
			out[at] = newDescribed(m[1])
			continue
		}
		m := flagRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		long, short := "", ""
		for _, name := range flagName.FindAllStringSubmatch(m[1], -1) {
			if name[1] == "--" {
				long = name[2]
			} else {
				short = name[2]
			}
		}
		out[at].flags[long] = strings.Trim(strings.TrimSpace(m[2]), "`")
		out[at].short[long] = short
	}
	return out
}

func newDescribed(use string) described {
	return described{use: use, flags: map[string]string{}, short: map[string]string{}}
}

// pathOf leaves the arguments out of a usage line.
func pathOf(use string) string {
	words := strings.Fields(use)
	for i, w := range words {
		if strings.ToLower(w) != w || strings.HasPrefix(w, "[") {
			return strings.Join(words[:i], " ")
		}
	}
	return use
}

func TestReferenceOfTheCommandLineIsWrong(t *testing.T) {
	docs := readReference(t)
	root := (&Program{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}).root()
	root.InitDefaultHelpFlag()
	known := map[string]bool{"": true}
	compareFlags(t, "every command", docs[""], root.PersistentFlags(), root.LocalNonPersistentFlags())
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if sub.Hidden || sub.Name() == "help" {
				continue
			}
			path := sub.CommandPath()
			known[path] = true
			d, ok := docs[path]
			if !ok {
				t.Errorf("%s is not described", path)
				continue
			}
			if want := strings.TrimSuffix(sub.UseLine(), " [flags]"); d.use != want {
				t.Errorf("the heading says `%s`, --help says `%s`", d.use, want)
			}
			compareFlags(t, path, d, sub.LocalNonPersistentFlags())
			walk(sub)
		}
	}
	walk(root)
	for path := range docs {
		if !known[path] {
			t.Errorf("%s is described, and there is no such command", path)
		}
	}
}

func compareFlags(t *testing.T, command string, d described, sets ...*pflag.FlagSet) {
	t.Helper()
	known := map[string]bool{}
	for _, set := range sets {
		set.VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" && command != "every command" {
				return
			}
			known[f.Name] = true
			value, ok := d.flags[f.Name]
			switch {
			case !ok:
				t.Errorf("%s: --%s is not described", command, f.Name)
			case f.Shorthand != d.short[f.Name]:
				t.Errorf("%s: the shorthand of --%s is %q, not %q", command, f.Name, f.Shorthand, d.short[f.Name])
			case !empty(f.DefValue) && f.DefValue != value:
				t.Errorf("%s: --%s has the default %q, not %q", command, f.Name, f.DefValue, value)
			}
		})
	}
	for name := range d.flags {
		if !known[name] {
			t.Errorf("%s: --%s is described, and there is no such flag", command, name)
		}
	}
}

// empty tells a default that stands for "not given".
func empty(value string) bool {
	return value == "" || value == "false" || value == "[]" || value == "0s"
}
