package remote

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/named"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

type searchFlags struct {
	k           int
	json        bool
	explain     bool
	sources     []string
	langs       []string
	meta        metaFlag
	collections collectionsFlag
	paths       []string
	token       string
	lease       string
	commit      string
	variants    []string
	deadline    time.Duration
	sure        float64
	perFile     int
	around      int

	full, brief, files bool
	all, copies        bool
	in                 string
}

type searchCommand struct {
	*command.Program
	apart Apart
	searchFlags
}

func newSearch(p *command.Program, apart Apart) *cobra.Command {
	c := &searchCommand{Program: p, apart: apart}
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Ask a question",
		Long: "search asks the running instance and prints path:line, score, symbol and an excerpt of each hit: line is that of the best match, and the\n" +
			"excerpt has it beside the first line of the passage. On a terminal what matches is coloured, and\n" +
			"where the terminal knows links, path:line opens the file (FORCE_HYPERLINK=0: no links, 1: links on any).\n" +
			"From within a watched source that one is asked, with --all or from elsewhere all of them.\n" +
			"It exits 0 with hits, 1 with none, 2 on an error. Filters may stand in the query: lang:go path:pkg/ source:api -path:vendor/.\n" +
			"A hit holds \"text in quotes\" as it is written, one of (a OR b), and no -word; refs:NAME lists the uses of a name.\n" +
			"With --in it needs no instance: what lies in no source of a running one is indexed first, in the user's cache\n" +
			"folder, where the next question about it finds what has not changed.\n" +
			"`freshet feedback up PATH --query QUERY` says afterwards which hit was right.",
		Example: "  freshet search --in ~/src/project \"where are retries counted\"\n" +
			"  freshet search \"parse an IPv6 address\" -k 5 --lang go\n" +
			"  freshet search \"retry with backoff\" --token latest --json\n" +
			"  git push && freshet search \"retry with backoff\" --commit HEAD --deadline 30s",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req, err := c.request(cmd, strings.Join(args, " "))
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("in") {
				return c.within(cmd.Context(), req)
			}
			return c.run(cmd.Context(), req)
		},
	}
	cmd.Flags().IntVarP(&c.k, "k", "k", 10, "`number` of hits, 1 to 1,000")
	cmd.Flags().BoolVar(&c.json, "json", false, "print the reply as it came over NATS")
	cmd.Flags().BoolVar(&c.explain, "explain", false, "show where each score comes from, and the stages of the answer")
	cmd.Flags().StringArrayVar(&c.sources, "source", nil, "only the source of this `name` (may be repeated)")
	cmd.Flags().StringArrayVar(&c.langs, "lang", nil, "only this `language` (may be repeated)")
	addCollections(cmd.Flags(), &c.collections)
	cmd.Flags().StringArrayVar(&c.paths, "path", nil, pathUsage)
	addMeta(cmd.Flags(), &c.meta, askMeta)
	cmd.Flags().StringArrayVar(&c.variants, "variant", nil, "search the question in these other `words`, too (may be repeated)")
	cmd.Flags().StringVar(&c.in, "in", "", "answer once about this `folder` or repository, also where no instance watches it")
	cmd.Flags().BoolVar(&c.all, "all", false, allUsage)
	cmd.Flags().BoolVar(&c.copies, "copies", false, "list passages that say the same as hits of their own, and not with the best of them")
	cmd.Flags().StringVar(&c.token, "token", "", "wait until this `token` is searchable; latest: everything accepted so far")
	cmd.Flags().StringVar(&c.lease, "lease", "", leaseUsage)
	cmd.Flags().StringVar(&c.commit, "commit", "", "wait until this git `commit` of a source is searchable: HEAD or any revision of the repository around the current folder, or an id")
	cmd.Flags().DurationVar(&c.deadline, "deadline", 0, "`time` for the answer, such as 500ms (default 2s)")
	cmd.Flags().Float64Var(&c.sure, "min-confidence", 0, "list no hits where the answer's confidence is below this `number`, 0 to 1")
	cmd.Flags().BoolVar(&c.full, "full", false, "print the whole text of each passage")
	cmd.Flags().BoolVar(&c.brief, "no-excerpt", false, "print no text of the passages")
	cmd.Flags().IntVarP(&c.around, "context", "C", 0, "print this `number` of lines above and below the best one of each hit, up to 100")
	cmd.Flags().IntVar(&c.perFile, "per-file", 0, "at most this `number` of hits of one file (default: three of code and five of documentation among ten)")
	cmd.Flags().BoolVarP(&c.files, "files", "l", false, "print nothing but the path of each document with a hit")
	cmd.MarkFlagsMutuallyExclusive("full", "no-excerpt", "files", "context")
	cmd.MarkFlagsMutuallyExclusive("json", "files")
	return cmd
}

func (f searchFlags) request(cmd *cobra.Command, query string) (contract.SearchRequest, error) {
	req := contract.SearchRequest{
		Query: query, Variants: f.variants, Token: f.token, Lease: f.lease, Explain: f.explain, MinConfidence: f.sure,
		Filter: contract.Filter{Paths: f.paths, Languages: f.langs, Metadata: document.Metadata(f.meta)}, Around: f.around, Collections: f.collections,
	}
	if cmd.Flags().Changed("per-file") {
		req.PerFile = &f.perFile
	}
	if f.copies {
		req.Off = append(req.Off, "fold")
	}
	switch {
	case f.full:
		req.Text = contract.TextFull
	case f.brief, f.files:
		req.Text = contract.TextNone
	}
	var err error
	if req.Commit, err = commitOf(cmd.Context(), f.commit); err != nil {
		return req, err
	}
	if cmd.Flags().Changed("k") {
		req.K = &f.k
	}
	if req.DeadlineMS, err = deadlineOf(cmd, f.deadline); err != nil {
		return req, err
	}
	if req.Filter.Sources, err = document.ParseSources(f.sources); err != nil {
		return req, err
	}
	return req, nil
}

func (c *searchCommand) run(ctx context.Context, req contract.SearchRequest) error {
	nc, err := c.Dial(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	places := render.Places{}
	if !c.json || len(c.sources) == 0 || len(c.paths) > 0 {
		places = PlacesOf(ctx, nc)
	}
	if here, _, ok := named.Holding(places.Sources, named.OnDisk(".")); ok {
		req.Own = []document.Source{here.Source}
	}
	if err := standing(c.Program, places, c.all).where(&req.Filter, req.Query); err != nil {
		return err
	}
	return c.ask(ctx, nc, req, places)
}

// ask asks a question and prints the answer.
func (c *searchCommand) ask(ctx context.Context, nc *nats.Conn, req contract.SearchRequest, places render.Places) error {
	raw, reply, err := client.Search.Raw(ctx, nc, req)
	if err != nil {
		return err
	}
	if c.json {
		if err := c.PrintJSON(raw); err != nil {
			return err
		}
		return hitsOrNone(reply)
	}
	write := render.Hits
	if c.files {
		write = render.Paths
	}
	if err := write(c.Stdout, c.Style(), places, reply); err != nil {
		return err
	}
	if err := render.Notes(c.Stderr, terminal.StyleFor(c.Stderr), places, reply, c.explain); err != nil {
		return err
	}
	if err := render.LeaseNotes(c.Stderr, terminal.StyleFor(c.Stderr), places, reply.Lease); err != nil {
		return err
	}
	switch {
	case len(reply.Hits) == 0 && c.sure > 0 && reply.Confidence != nil && *reply.Confidence > 0:
		c.Note(fmt.Sprintf("no hits: the answer's confidence is %.2f, below --min-confidence; ask without it to see the nearest passages", *reply.Confidence))
	case len(reply.Hits) == 0:
		c.Note(noHits(c.searchFlags, places.Sources))
	case reply.NothingRelevant:
		c.Note(fmt.Sprintf("nothing relevant here, probably (confidence %.2f): these are the nearest passages; use words that the sources use, or see `freshet source list`", *reply.Confidence))
	}
	return hitsOrNone(reply)
}

// noHits says why there may be none, as far as this side can tell.
func noHits(f searchFlags, known []contract.SourceInfo) string {
	if len(f.sources) == 0 && !slices.ContainsFunc(known, func(s contract.SourceInfo) bool { return s.Watched }) && len(known) > 0 {
		return "no hits: no source is watched, so name one with --source, see `freshet source list`"
	}
	return "no hits"
}

func hitsOrNone(reply contract.SearchReply) error {
	if len(reply.Hits) == 0 {
		return command.NoHits
	}
	return nil
}
