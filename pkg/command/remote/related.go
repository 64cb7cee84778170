package remote

import (
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/named"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

type relatedFlags struct {
	about
	relations   []string
	limit       int
	full, brief bool
	lease       string
}

func newRelated(p *command.Program) *cobra.Command {
	var f relatedFlags
	cmd := &cobra.Command{
		Use:   "related PATH:LINE",
		Short: "List what has to do with a passage",
		Long: "related lists, for the passage that has a line, the definitions that it uses (calls), the code that uses what it defines\n" +
			"(called_by), the tests that do, and passages of other documents that say something alike (near), each with why it is there.\n" +
			"PATH is a file here, or SOURCE:PATH. It exits 0 with something related, 1 with nothing, 2 on an error.",
		Example: "  freshet related pkg/client.go:40\n" +
			"  freshet related pkg/client.go:40 --relation tests --relation called_by\n" +
			"  freshet related pkg/client.go:40 --token latest --json",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, p, args[0]) },
	}
	f.register(cmd)
	cmd.Flags().StringArrayVar(&f.relations, "relation", nil, "only this `relation`: calls, called_by, tests or near (may be repeated)")
	cmd.Flags().IntVar(&f.limit, "limit", 5, "`number` of passages of each relation, 1 to 50")
	cmd.Flags().BoolVar(&f.full, "full", false, "print the whole text of each passage")
	cmd.Flags().BoolVar(&f.brief, "no-excerpt", false, "print no text of the passages")
	cmd.Flags().StringVar(&f.lease, "lease", "", leaseUsage)
	cmd.MarkFlagsMutuallyExclusive("full", "no-excerpt")
	return cmd
}

func (f *relatedFlags) run(cmd *cobra.Command, p *command.Program, arg string) error {
	path, from, _, err := named.Lines(arg)
	if err != nil {
		return err
	}
	if from == 0 {
		return document.Errorf(document.InvalidRequest, "%s names no line: give one of the passage, as in %s:40", arg, path)
	}
	if f.limit < 1 {
		return document.Errorf(document.InvalidRequest, "--limit is %d: choose 1 to 50", f.limit)
	}
	req := contract.RelatedRequest{View: document.View(f.view), Line: from, Relations: f.relations, Limit: f.limit, Token: f.token, Lease: f.lease}
	switch {
	case f.full:
		req.Text = contract.TextFull
	case f.brief:
		req.Text = contract.TextNone
	}
	if req.Commit, req.DeadlineMS, err = f.checked(cmd); err != nil {
		return err
	}
	nc, err := p.Dial(cmd.Context())
	if err != nil {
		return err
	}
	defer nc.Close()
	places := PlacesOf(cmd.Context(), nc)
	if req.Source, req.Path, err = named.Document(places.Sources, path); err != nil {
		return err
	}
	raw, reply, err := client.Related.Raw(cmd.Context(), nc, req)
	if err != nil {
		return err
	}
	if f.json {
		err = p.PrintJSON(raw)
	} else {
		err = render.Related(p.Stdout, p.Style(), places, reply)
		if err == nil {
			err = render.RelatedNotes(p.Stderr, terminal.StyleFor(p.Stderr), places, reply)
		}
	}
	if err == nil && len(reply.Related) == 0 {
		return command.NoHits
	}
	return err
}
