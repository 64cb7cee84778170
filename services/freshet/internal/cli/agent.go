package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet/internal/agents"
)

func newAgent(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Tell coding agents of freshet, and undo it",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	names := strings.Join(agents.Names(), ", ")
	cmd.AddCommand(newAgentChange(p, "install", agents.Install, "Name freshet in the configuration of agents",
		"install puts `freshet mcp` among the servers that an agent knows, and, for a project, a paragraph that says when to use it into\n"+
			"the file of instructions that the agent reads. Clients are "+names+". What is there stays, and `freshet agent remove`\n"+
			"brings the files back byte for byte. Without --user the current folder is set up.",
		"  freshet agent install claude --dry-run\n  freshet agent install claude cursor\n  freshet agent install codex --user"))
	cmd.AddCommand(newAgentChange(p, "remove", agents.Remove, "Take freshet out of the configuration of agents",
		"remove takes out what `freshet agent install` has put into the files of an agent, and nothing else: "+names+".",
		"  freshet agent remove claude\n  freshet agent remove codex --user"))
	return cmd
}

func newAgentChange(p *command.Program, name string, change func(agents.Setup, []agents.Client) ([]agents.Change, error), short, long, example string) *cobra.Command {
	var project bool
	s := &agentSetting{Program: p}
	cmd := &cobra.Command{
		Use: name + " CLIENT…", Short: short, Long: long, Example: example,
		Args: cobra.MinimumNArgs(1), ValidArgs: agents.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			clients, err := agents.Named(args)
			if err != nil {
				return err
			}
			setup, err := s.setup()
			if err != nil {
				return err
			}
			list, err := change(setup, clients)
			if err != nil {
				return err
			}
			return s.apply(list)
		},
	}
	cmd.Flags().BoolVar(&project, "project", false, "set up the project in the current folder (the default)")
	cmd.Flags().BoolVar(&s.user, "user", false, "set up all projects of this user, in the home folder")
	cmd.Flags().BoolVar(&s.dry, "dry-run", false, "say what would be written, and write nothing")
	cmd.MarkFlagsMutuallyExclusive("project", "user")
	return cmd
}

// agentSetting sets agents up for this program.
type agentSetting struct {
	*command.Program
	user, dry bool // for all projects of the user; say only what would be written
}

// setup is the server's command, with the flags that find the running
// instance, and the folder that is set up.
func (a *agentSetting) setup() (agents.Setup, error) {
	s := agents.Setup{Args: []string{"mcp"}, User: a.user}
	var err error
	if s.Command, err = os.Executable(); err != nil {
		return s, document.Errorf(document.Unavailable, "where freshet lies is not known: %w", err)
	}
	if a.Data != "" {
		data, err := filepath.Abs(a.Data)
		if err != nil {
			return s, document.Errorf(document.InvalidRequest, "the state folder %s has no absolute path: %w", a.Data, err)
		}
		s.Args = append(s.Args, "--data", data)
	}
	if a.NATS != "" {
		s.Args = append(s.Args, "--nats", a.NATS)
	}
	folder := os.Getwd
	if a.user {
		folder = os.UserHomeDir
	}
	if s.Folder, err = folder(); err != nil {
		return s, document.Errorf(document.InvalidRequest, "the folder to set up is not known: %w", err)
	}
	return s, nil
}

// apply writes changes, and says which.
func (a *agentSetting) apply(list []agents.Change) error {
	out := terminal.Printer{W: a.Stdout}
	for _, c := range list {
		what := "writes "
		switch {
		case !c.Changed():
			out.Linef("leaves %s as it is", terminal.Printable(c.File))
			continue
		case !c.Stays:
			what = "removes "
		case !c.There:
			what = "makes "
		}
		out.Linef("%s%s", what, terminal.Printable(c.File))
		if a.dry {
			for line := range strings.Lines(difference(c.Before, c.After)) {
				out.Linef("  %s", terminal.PrintableLines(strings.TrimSuffix(line, "\n")))
			}
			continue
		}
		if err := c.Apply(); err != nil {
			return err
		}
	}
	if a.dry {
		out.Linef("nothing was written")
	}
	return out.Err
}

// difference is what one text has between what it shares with another at both
// ends: what is put in, or taken out.
func difference(before, after string) string {
	sign, long, short := "+", after, before
	if len(before) > len(after) {
		sign, long, short = "-", before, after
	}
	start := 0
	for start < len(short) && short[start] == long[start] {
		start++
	}
	end := 0
	for end < len(short)-start && short[len(short)-1-end] == long[len(long)-1-end] {
		end++
	}
	var b strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(long[start:len(long)-end], "\n")) {
		b.WriteString(sign + " " + line)
	}
	return b.String()
}
