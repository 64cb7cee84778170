package remote

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"

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

type tellFlags struct {
	query       string
	k           int
	session, by string
	json        bool
}

type tellCommand struct {
	*command.Program
	tellFlags
	kind contract.FeedbackKind
}

// FeedbackTell is the command that says one thing of a hit.
func FeedbackTell(p *command.Program, kind contract.FeedbackKind, short string) *cobra.Command {
	c := &tellCommand{Program: p, kind: kind}
	cmd := &cobra.Command{
		Use: string(kind) + " PATH[:LINES]", Short: short,
		Long: short + ".\n\n" +
			"PATH[:LINES] is as `freshet search` prints it: a file here, an absolute path, or SOURCE:PATH. The question is asked\n" +
			"once more for the rank of the hit; without LINES it is the first hit in that file. A passage that was not among\n" +
			"the hits may be named as well: without LINES it is the whole file.",
		Example: "  freshet feedback " + string(kind) + " pkg/parse.go:10-42 --query \"parse an address\"",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.query == "" {
				return document.Errorf(document.InvalidRequest, "--query is missing: give the question as it was asked")
			}
			at, err := parsePlace(args[0])
			if err != nil {
				return err
			}
			req := contract.SearchRequest{Query: c.query, Text: contract.TextNone}
			if cmd.Flags().Changed("k") {
				req.K = &c.k
			}
			nc, err := c.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			return c.tell(cmd.Context(), nc, at, req)
		},
	}
	cmd.Flags().StringVar(&c.query, "query", "", "the `question` as it was asked; filters may stand in it (needed)")
	cmd.Flags().IntVarP(&c.k, "k", "k", 10, "`number` of hits that were asked for, 1 to 1,000")
	cmd.Flags().StringVar(&c.session, "session", "", "`name` that tells this visit from others")
	cmd.Flags().StringVar(&c.by, "by", "", "`name` that tells you from others")
	cmd.Flags().BoolVar(&c.json, "json", false, "print the reply as it came over NATS")
	return cmd
}

func (c *tellCommand) tell(ctx context.Context, nc *nats.Conn, at place, req contract.SearchRequest) error {
	places := PlacesOf(ctx, nc)
	if err := standing(c.Program, places, false).about(&req.Filter, c.query, at.path); err != nil {
		return err
	}
	answer, err := client.Search.Ask(ctx, nc, req)
	if err != nil {
		return err
	}
	hit, err := meant(ctx, nc, places.Sources, answer.Hits, at)
	if err != nil {
		return err
	}
	event := contract.Feedback{Kind: c.kind, Query: c.query, Hits: []contract.FeedbackHit{hit}, Token: answer.Token, Session: c.session, By: c.by}
	raw, reply, err := client.GiveFeedback.Raw(ctx, nc, event)
	if err != nil {
		return err
	}
	if c.json {
		return c.PrintJSON(raw)
	}
	if err := render.FeedbackKept(c.Stdout, c.Style(), places, event); err != nil {
		return err
	}
	switch {
	case reply.Repeated:
		c.Note("this was known already, and counts once")
	case hit.Rank == 0 && c.kind != contract.FeedbackDown:
		c.Note(fmt.Sprintf("it is not among the %s of this question: `freshet explain %s --query %s` tells why", terminal.Plural(len(answer.Hits), "hit", "hits"), terminal.ShellWord(at.path), terminal.ShellWord(c.query)))
	}
	return nil
}

// place is a passage as a person writes it.
type place struct {
	path       string
	start, end int // 0: the whole file
}

var linesBehind = regexp.MustCompile(`^(.+):([0-9]{1,9})(?:-([0-9]{1,9}))?$`)

// parsePlace splits PATH[:LINES]. A file that has such a name goes first.
func parsePlace(arg string) (place, error) {
	m := linesBehind.FindStringSubmatch(arg)
	if m == nil {
		return place{path: arg}, nil
	}
	if _, err := os.Lstat(arg); err == nil {
		return place{path: arg}, nil
	}
	at := place{path: m[1]}
	at.start, _ = strconv.Atoi(m[2]) // nine digits at most
	if at.end = at.start; m[3] != "" {
		at.end, _ = strconv.Atoi(m[3])
	}
	if at.start == 0 || at.end < at.start {
		return at, document.Errorf(document.InvalidRequest, "the lines of %s cannot be: count from 1, the first one first, such as %s:3-9", arg, at.path)
	}
	return at, nil
}

// meant returns the hit of an answer that a person names, or the passage of a
// document that is there although the answer has no such hit.
func meant(ctx context.Context, nc *nats.Conn, known []contract.SourceInfo, hits []contract.Hit, at place) (contract.FeedbackHit, error) {
	source, rel, err := named.Within(known, at.path)
	if err != nil {
		return contract.FeedbackHit{}, err
	}
	path := document.TypedPath(rel)
	best, most := -1, 0
	for i, h := range hits {
		if h.Path != path || source != "" && h.Source != source {
			continue
		}
		shared := min(h.EndLine, at.end) - max(h.StartLine, at.start) + 1
		if at.start == 0 {
			shared = 1
		}
		if shared > most {
			best, most = i, shared
		}
	}
	if best >= 0 {
		h := hits[best]
		return contract.FeedbackHit{Source: h.Source, Path: h.Path, StartLine: h.StartLine, EndLine: h.EndLine, ID: h.ID, Rank: best + 1}, nil
	}
	if source == "" && len(known) == 1 {
		source = known[0].Source
	}
	if source == "" {
		return contract.FeedbackHit{}, document.Errorf(document.NotFound, "%s is no hit of this question, and lies in no source from here: name it as SOURCE:PATH, see `freshet source list`", at.path)
	}
	log, err := client.ExplainQuery.Ask(ctx, nc, contract.ExplainQuery{Source: source, Path: path})
	if err != nil {
		return contract.FeedbackHit{}, err
	}
	if len(log.Versions) == 0 {
		return contract.FeedbackHit{}, document.Errorf(document.NotFound, "there is no document %s in the source %s: name a file that it holds, as `freshet search` prints it", path, source)
	}
	return contract.FeedbackHit{Source: source, Path: path, StartLine: at.start, EndLine: at.end}, nil
}
