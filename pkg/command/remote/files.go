package remote

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

type filesFlags struct {
	skipped, json, paths, null    bool
	all                           bool
	limit                         int
	sources, views, langs, within []string
	meta                          metaFlag
	collections                   collectionsFlag
	token, commit                 string
	deadline                      time.Duration
}

type filesCommand struct {
	*command.Program
	filesFlags
}

func newFiles(p *command.Program) *cobra.Command {
	c := &filesCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "files [PATH…]",
		Short: "List what is indexed, or what is left out and why",
		Long: "files lists the indexed documents by path, with size, language, passages and version, and says of each\n" +
			"that is not searchable yet how far it has come. --skipped lists what is known and left out, with the reason.\n" +
			"The list is that of one moment, and has whatever was accepted before. A line on standard error sums it up.\n" +
			"PATH is a file, folder or quoted glob here, or SOURCE:PATH. Without one, the source around the current folder is\n" +
			"listed, with --all or from elsewhere all that are watched.\n" +
			"It exits 0 with documents, 1 with none, 2 on an error, and where the list may lack some: it says why.",
		Example: "  freshet files \"*.go\"\n" +
			"  freshet files --skipped\n" +
			"  freshet files -0 pkg/ | xargs -0 rg \"func Parse\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			req, err := c.request(cmd)
			if err != nil {
				return err
			}
			return c.run(cmd.Context(), req, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&c.skipped, "skipped", false, "list what is left out, with the reason")
	flags.BoolVar(&c.json, "json", false, "print each part of the answer as it came over NATS, one a line")
	flags.BoolVarP(&c.paths, "paths", "1", false, "print paths only, one a line")
	flags.BoolVarP(&c.null, "null", "0", false, "print paths only, each with a NUL byte behind it")
	flags.IntVar(&c.limit, "limit", 0, "`number` of documents to list, 0 for all; the others are counted")
	flags.StringArrayVar(&c.sources, "source", nil, "only the source of this `name` (may be repeated)")
	flags.StringArrayVar(&c.views, "view", nil, "only the view of this `name`, such as a branch (may be repeated)")
	flags.StringArrayVar(&c.langs, "lang", nil, "only this `language` (may be repeated)")
	addCollections(flags, &c.collections)
	addMeta(flags, &c.meta, askMeta)
	flags.StringArrayVar(&c.within, "path", nil, pathUsage)
	flags.BoolVar(&c.all, "all", false, "list all watched sources, also from within one of them")
	flags.StringVar(&c.token, "token", "", "list what is at least as new as this `token`; everything accepted so far is listed without")
	flags.StringVar(&c.commit, "commit", "", "wait until this git `commit` of a source is there: HEAD or any revision of the repository around the current folder, or an id")
	flags.DurationVar(&c.deadline, "deadline", 0, "`time` for the answer, such as 5s (default 30s)")
	cmd.MarkFlagsMutuallyExclusive("json", "paths", "null")
	return cmd
}

func (f *filesFlags) request(cmd *cobra.Command) (contract.FilesRequest, error) {
	req := contract.FilesRequest{
		Paths: f.paths || f.null, Limit: f.limit, Token: f.token,
		Filter: contract.Filter{Paths: f.within, Languages: f.langs, Metadata: document.Metadata(f.meta)}, Collections: f.collections,
	}
	if f.skipped {
		req.Show = contract.FilesSkipped
	}
	if f.limit < 0 {
		return req, document.Errorf(document.InvalidRequest, "--limit is %d: choose 1 or more, or 0 for all", f.limit)
	}
	for _, v := range f.views {
		req.Filter.Views = append(req.Filter.Views, document.View(v))
	}
	var err error
	if req.Filter.Sources, err = document.ParseSources(f.sources); err != nil {
		return req, err
	}
	if req.DeadlineMS, err = deadlineOf(cmd, f.deadline); err != nil {
		return req, err
	}
	req.Commit, err = commitOf(cmd.Context(), f.commit)
	return req, err
}

func (c *filesCommand) run(ctx context.Context, req contract.FilesRequest, paths []string) error {
	nc, err := c.Dial(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	places := PlacesOf(ctx, nc)
	if err := standing(c.Program, places, c.all).narrow(&req.Filter, paths); err != nil {
		return err
	}
	var sum *contract.FilesSummary
	list := c.printer(req, places)
	begun := false
	err = client.Files.Each(ctx, nc, req, func(part contract.FilesPart) error {
		if part.Summary != nil {
			sum = part.Summary
		}
		if c.json {
			return c.Print(part)
		}
		if !begun && list.People && !list.Plain && len(part.Files) > 0 {
			if err := list.Head(); err != nil {
				return err
			}
		}
		begun = true
		return list.Some(part.Files)
	})
	if err != nil {
		return err
	}
	if sum == nil {
		return document.Errorf(document.VersionMismatch, "the answer on %s has no summary: use the version of freshet that is running", contract.SubjectFiles)
	}
	if !c.json {
		if err := render.FilesNotes(c.Stderr, terminal.StyleFor(c.Stderr), req, *sum); err != nil {
			return err
		}
	}
	switch {
	case !sum.Complete:
		return command.Unsearched
	case sum.Documents == 0:
		c.adviseNames(paths)
		return command.NoHits
	}
	return nil
}

// adviseNames says how a file of a bare name is found in any folder, since a name is
// that of what lies here.
func (c *filesCommand) adviseNames(paths []string) {
	for _, name := range paths {
		if !strings.ContainsAny(name, `/*?[{:`) && !c.json {
			c.Note("nothing is called " + terminal.Printable(name) + " right here: `freshet files " + terminal.ShellWord("**/"+name) + "` looks in all folders")
		}
	}
}

func (c *filesCommand) printer(req contract.FilesRequest, places render.Places) render.Files {
	list := render.Files{
		W: c.Stdout, Style: c.Style(), Places: places,
		Plain: req.Paths, People: terminal.IsTerminal(c.Stdout) && !c.null, End: "\n", Skipped: c.skipped,
	}
	if c.null {
		list.End = "\x00"
	}
	return list
}
