package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet/internal/agents"
)

func (p *Program) agent() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Tell coding agents of freshet, and undo it",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	names := strings.Join(agents.Names(), ", ")
	cmd.AddCommand(p.agentChange("install", agents.Install, "Name freshet in the configuration of agents",
		"install puts `freshet mcp` among the servers that an agent knows, and, for a project, a paragraph that says when to use it into\n"+
			"the file of instructions that the agent reads. Clients are "+names+". What is there stays, and `freshet agent remove`\n"+
			"brings the files back byte for byte. Without --user the current folder is set up.",
		"  freshet agent install claude --dry-run\n  freshet agent install claude cursor\n  freshet agent install codex --user"))
	cmd.AddCommand(p.agentChange("remove", agents.Remove, "Take freshet out of the configuration of agents",
		"remove takes out what `freshet agent install` has put into the files of an agent, and nothing else: "+names+".",
		"  freshet agent remove claude\n  freshet agent remove codex --user"))
	return cmd
}

func (p *Program) agentChange(name string, change func(agents.Setup, []agents.Client) ([]agents.Change, error), short, long, example string) *cobra.Command {
	var project, user, dry bool
	cmd := &cobra.Command{
		Use: name + " CLIENT…", Short: short, Long: long, Example: example,
		Args: cobra.MinimumNArgs(1), ValidArgs: agents.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			clients, err := agents.Named(args)
			if err != nil {
				return err
			}
			setup, err := p.agentSetup(user)
			if err != nil {
				return err
			}
			list, err := change(setup, clients)
			if err != nil {
				return err
			}
			return p.applyAgents(list, dry)
		},
	}
	cmd.Flags().BoolVar(&project, "project", false, "set up the project in the current folder (the default)")
	cmd.Flags().BoolVar(&user, "user", false, "set up all projects of this user, in the home folder")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be written, and write nothing")
	cmd.MarkFlagsMutuallyExclusive("project", "user")
	return cmd
}

// agentSetup is the server's command, with the flags that find the running
// instance, and the folder that is set up.
func (p *Program) agentSetup(user bool) (agents.Setup, error) {
	s := agents.Setup{Args: []string{"mcp"}, User: user}
	var err error
	if s.Command, err = os.Executable(); err != nil {
		return s, document.Errorf(document.Unavailable, "where freshet lies is not known: %w", err)
	}
	if p.data != "" {
		data, err := filepath.Abs(p.data)
		if err != nil {
			return s, document.Errorf(document.InvalidRequest, "the state folder %s has no absolute path: %w", p.data, err)
		}
		s.Args = append(s.Args, "--data", data)
	}
	if p.nats != "" {
		s.Args = append(s.Args, "--nats", p.nats)
	}
	folder := os.Getwd
	if user {
		folder = os.UserHomeDir
	}
	if s.Folder, err = folder(); err != nil {
		return s, document.Errorf(document.InvalidRequest, "the folder to set up is not known: %w", err)
	}
	return s, nil
}

// applyAgents writes changes, and says which.
func (p *Program) applyAgents(list []agents.Change, dry bool) error {
	out := terminal.Printer{W: p.Stdout}
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
		if dry {
			for line := range strings.Lines(difference(c.Before, c.After)) {
				out.Linef("  %s", terminal.PrintableLines(strings.TrimSuffix(line, "\n")))
			}
			continue
		}
		if err := c.Apply(); err != nil {
			return err
		}
	}
	if dry {
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
