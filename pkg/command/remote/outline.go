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

func newOutline(p *command.Program) *cobra.Command {
	var f about
	var limit int
	cmd := &cobra.Command{
		Use:   "outline [PATH]",
		Short: "List what a document defines, or what a folder holds",
		Long: "outline lists the definitions and headings of an indexed document with their lines, or the documents and folders in a folder\n" +
			"with their sizes. PATH is a file or folder here, or SOURCE:PATH; without it everything that is watched is listed.",
		Example: "  freshet outline pkg/client.go\n" +
			"  freshet outline pkg\n" +
			"  freshet outline pkg/client.go --token latest",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req := contract.OutlineRequest{View: document.View(f.view), Limit: limit, Token: f.token}
			if limit < 1 {
				return document.Errorf(document.InvalidRequest, "--limit is %d: choose 1 to 2,000", limit)
			}
			var err error
			if req.Commit, req.DeadlineMS, err = f.checked(cmd); err != nil {
				return err
			}
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			places := PlacesOf(cmd.Context(), nc)
			if len(args) > 0 {
				if req.Source, req.Path, err = named.Document(places.Sources, args[0]); err != nil {
					return err
				}
			}
			if req.Path == "." {
				req.Path = ""
			}
			raw, reply, err := client.Outline.Raw(cmd.Context(), nc, req)
			if err != nil {
				return err
			}
			if f.json {
				return p.PrintJSON(raw)
			}
			if err := render.Outline(p.Stdout, p.Style(), places, reply); err != nil {
				return err
			}
			return render.OutlineNotes(p.Stderr, terminal.StyleFor(p.Stderr), reply)
		},
	}
	f.register(cmd)
	cmd.Flags().IntVar(&limit, "limit", 500, "`number` of entries to list, 1 to 2,000")
	return cmd
}
