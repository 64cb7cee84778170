package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/freshet-dev/freshet/pkg/command"
)

const reference = "../../../../docs/reference/cli.md"

// byHand stands above what the page has of a command beside its help.
const byHand = "<!-- by hand -->\n"

var (
	update = flag.Bool("update", false, "write what is made from the commands")

	heading        = regexp.MustCompile("(?m)^##+ .*\n")
	commandHeading = regexp.MustCompile("^##+ `(freshet [^`]*)`\n$")
	defaultInUsage = regexp.MustCompile(` \(default:? ([^()]*)\)$`)
	flagInText     = regexp.MustCompile(`(^|[ (])(--[a-z][a-z-]*)`)
)

// globalFlags is the heading above the flags of every command.
const globalFlags = "## Flags of every command\n"

func TestReferenceOfTheCommandLine_IsItsHelp(t *testing.T) {
	there, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	want := makeReference(t, string(there))
	if *update {
		if err := os.WriteFile(reference, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(there, []byte(want)) {
		t.Errorf("%s is not what the commands say: run `make reference`", reference)
	}
}

// makeReference puts what the commands say of themselves into the page. Their
// order there stays; a new one gets its place by a heading.
func makeReference(t *testing.T, page string) string {
	t.Helper()
	root := newRoot(&command.Program{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	root.InitDefaultHelpFlag()
	missing := describable(root)
	var out strings.Builder
	at := 0
	for _, h := range append(heading.FindAllStringIndex(page, -1), []int{len(page), len(page)}) {
		section(t, &out, root, missing, page[at:h[0]])
		at = h[0]
	}
	for path := range missing {
		t.Errorf("%s is not described: write the heading \"## `%s`\" where it belongs, and run `make reference`", path, path)
	}
	return out.String()
}

// section writes one of the page's sections: that of a command anew, but for
// what was written by hand.
func section(t *testing.T, out *strings.Builder, root *cobra.Command, missing map[string]*cobra.Command, text string) {
	t.Helper()
	title, _, _ := strings.Cut(text, "\n")
	title += "\n"
	_, notes, noted := strings.Cut(text, byHand)
	if noted {
		notes = byHand + notes
	}
	if title == globalFlags {
		out.WriteString(title + "\n")
		flagTable(out, root.PersistentFlags(), root.LocalNonPersistentFlags())
		out.WriteString(notes)
		return
	}
	m := commandHeading.FindStringSubmatch(title)
	if m == nil {
		out.WriteString(text)
		return
	}
	path := commandPath(m[1])
	cmd, ok := missing[path]
	if !ok {
		t.Errorf("%s is described, and is no command, or stands there twice", path)
		return
	}
	delete(missing, path)
	fmt.Fprintf(out, "%s `%s`\n\n%s\n\n", strings.Repeat("#", min(strings.Count(path, " "), 2)+1), strings.TrimSuffix(cmd.UseLine(), " [flags]"), prose(cmd))
	flagTable(out, cmd.LocalNonPersistentFlags())
	if cmd.Example != "" {
		fmt.Fprintf(out, "```sh\n%s\n```\n\n", strings.ReplaceAll(strings.TrimPrefix(cmd.Example, "  "), "\n  ", "\n"))
	}
	out.WriteString(notes)
}

// describable returns the commands that people run, by their path.
func describable(root *cobra.Command) map[string]*cobra.Command {
	out := map[string]*cobra.Command{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if !sub.Hidden && sub.Name() != "help" {
				out[sub.CommandPath()] = sub
				walk(sub)
			}
		}
	}
	walk(root)
	return out
}

// commandPath leaves the arguments out of a usage line.
func commandPath(use string) string {
	words := strings.Fields(use)
	end := slices.IndexFunc(words, func(w string) bool { return strings.ToLower(w) != w || strings.HasPrefix(w, "[") })
	if end < 0 {
		return use
	}
	return strings.Join(words[:end], " ")
}

// prose is what the help says, its lines joined to paragraphs.
func prose(cmd *cobra.Command) string {
	if cmd.Long == "" {
		return escaped(cmd.Short) + "."
	}
	paragraphs := strings.Split(cmd.Long, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.ReplaceAll(p, "\n", " ")
	}
	return escaped(strings.Join(paragraphs, "\n\n"))
}

// flagTable writes the flags with their values, defaults and meanings.
func flagTable(out *strings.Builder, sets ...*pflag.FlagSet) {
	var rows []string
	for _, set := range sets {
		set.VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" && len(sets) == 1 {
				return
			}
			value, usage := pflag.UnquoteUsage(f)
			name := "`--" + f.Name + "`"
			if f.Shorthand != "" {
				name += ", `-" + f.Shorthand + "`"
			}
			if value != "" {
				name += " " + strings.ToUpper(strings.TrimSuffix(value, "s"))
				if strings.HasSuffix(value, "s") {
					name += ",…"
				}
			}
			byDefault := ""
			switch m := defaultInUsage.FindStringSubmatch(usage); {
			case m != nil:
				byDefault, usage = m[1], strings.TrimSuffix(usage, m[0])
			case !empty(f.DefValue):
				byDefault = "`" + strings.Trim(f.DefValue, "[]") + "`"
			}
			rows = append(rows, strings.Join(strings.Fields(fmt.Sprintf("| %s | %s | %s |", name, byDefault, cell(usage))), " "))
		})
	}
	if len(rows) > 0 {
		fmt.Fprintf(out, "| flag | default | meaning |\n| --- | --- | --- |\n%s\n\n", strings.Join(rows, "\n"))
	}
}

func cell(text string) string { return strings.ReplaceAll(escaped(text), "|", `\|`) }

// escaped keeps Markdown from taking what a help text means literally, and marks
// the flags in it; what the text quotes stays as it is.
func escaped(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = flagInText.ReplaceAllString(strings.NewReplacer("<", `\<`, "*", `\*`).Replace(parts[i]), "$1`$2`")
	}
	return strings.Join(parts, "`")
}

// empty tells a default that stands for "not given".
func empty(value string) bool {
	return value == "" || value == "false" || value == "[]" || value == "0s"
}
