package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
)

type explainFlags struct {
	query string
	k     int
	token string
	json  bool
}

type explainCommand struct {
	*command.Program
	explainFlags
}

func newExplain(p *command.Program) *cobra.Command {
	c := &explainCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "explain PATH",
		Short: "Say what has become of a path, and why a search does not find it",
		Long: "explain says in one sentence what has become of a path: ignored by which rule, skipped for what reason,\n" +
			"pending at which stage since when, failed, or indexed as which passages. Then comes the evidence, and what to do.\n" +
			"With --query it follows the document through that search, to the stage at which it was lost.\n" +
			"PATH is a file or folder here, one that is gone, or SOURCE:PATH. It exits 0 where the path is searchable\n" +
			"(with --query: among the hits), 1 where it is not, 2 on an error.",
		Example: "  freshet explain build/out.js\n" +
			"  freshet explain notes:diary/monday.md\n" +
			"  freshet explain pkg/parse.go --query \"parse an address lang:go\"",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req, err := c.search(cmd)
			if err != nil {
				return err
			}
			nc, err := c.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			return c.run(cmd.Context(), nc, args[0], req)
		},
	}
	cmd.Flags().StringVar(&c.query, "query", "", "`question` in which the document was expected; filters may stand in it")
	cmd.Flags().IntVarP(&c.k, "k", "k", 10, "`number` of hits that were asked for, 1 to 1,000")
	cmd.Flags().StringVar(&c.token, "token", "", "`token` that the search waits for; latest: everything accepted so far")
	cmd.Flags().BoolVar(&c.json, "json", false, "print the whole structure")
	return cmd
}

// search returns the search to explain, nil for none.
func (f *explainFlags) search(cmd *cobra.Command) (*contract.SearchRequest, error) {
	if !cmd.Flags().Changed("query") {
		if cmd.Flags().Changed("k") || cmd.Flags().Changed("token") {
			return nil, document.Errorf(document.InvalidRequest, "-k and --token belong to a search: give it with --query")
		}
		return nil, nil
	}
	req := &contract.SearchRequest{Query: f.query, Token: f.token}
	if cmd.Flags().Changed("k") {
		req.K = &f.k
	}
	return req, nil
}

// explained is what --json prints: the replies as they came, and what they
// come to.
type explained struct {
	Verdict  contract.Verdict  `json:"verdict"`
	Summary  string            `json:"summary"`
	Next     []string          `json:"next,omitempty"`
	Actions  []document.Action `json:"actions,omitempty"`
	File     json.RawMessage   `json:"file,omitempty"`
	Document json.RawMessage   `json:"document,omitempty"`
}

func (c *explainCommand) run(ctx context.Context, nc *nats.Conn, path string, search *contract.SearchRequest) error {
	if search != nil {
		if err := standing(c.Program, PlacesOf(ctx, nc), false).about(&search.Filter, c.query, path); err != nil {
			return err
		}
	}
	about, raw, err := c.whole(ctx, nc, path, search)
	if err != nil {
		return err
	}
	if c.json {
		raw.Verdict, raw.Summary, raw.Next, raw.Actions = about.Verdict, about.Summary, about.Next, about.Actions
		js, err := json.Marshal(raw)
		if err != nil {
			return fmt.Errorf("encode the explanation: %w", err)
		}
		if err := c.PrintJSON(js); err != nil {
			return err
		}
	} else if err := render.Explanation(c.Stdout, c.Style(), about); err != nil {
		return err
	}
	if !about.Searchable() {
		return command.NoHits
	}
	return nil
}

// whole asks the watcher about the path, and the query service about the
// document that it stands for.
func (c *explainCommand) whole(ctx context.Context, nc *nats.Conn, path string, search *contract.SearchRequest) (render.About, explained, error) {
	var about render.About
	var raw explained
	req, err := namedFile(ctx, nc, path)
	if err != nil {
		return about, raw, err
	}
	file, seen, err := client.ExplainFile.Raw(ctx, nc, req)
	query := contract.ExplainQuery{Source: req.Source, Path: document.TypedPath(req.Path), Search: search}
	switch {
	case err == nil:
		about.File, raw.File = &seen, file
		if seen.Source == nil {
			return about.Judged(), raw, nil
		}
		query.Source, query.Path = seen.Source.Source, seen.Document
		if !asksLog(seen) {
			return about.Judged(), raw, nil
		}
	case req.Source == "" || document.KindOf(err) != document.Unavailable && document.KindOf(err) != document.Deadline:
		return about, raw, err
	default: // the log still knows what it has
		about.Trouble = append(about.Trouble, "the watcher does not answer, so nothing is known of the file itself: "+render.Error(err))
	}
	answer, known, err := client.ExplainQuery.Raw(ctx, nc, query)
	switch {
	case err == nil:
		about.Log, raw.Document = &known, answer
	case about.File == nil || search != nil:
		return about, raw, err
	default:
		about.Trouble = append(about.Trouble, "the query service does not answer, so nothing is known of the indexes: "+render.Error(err))
	}
	return about.Judged(), raw, nil
}

// asksLog reports whether the log may know more than the watcher: of a path
// that was never in it, it knows nothing.
func asksLog(e contract.FileExplanation) bool {
	return e.Log != nil || e.Verdict == contract.VerdictFolder || e.Verdict == contract.VerdictMissing || e.Verdict == contract.VerdictUnwatched
}

// namedFile tells a path from SOURCE:PATH. A file of that name here goes first.
func namedFile(ctx context.Context, nc *nats.Conn, path string) (contract.ExplainFile, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return contract.ExplainFile{}, document.Errorf(document.InvalidRequest, "the path %s has no absolute form (%w): give it in full", path, err)
	}
	here := contract.ExplainFile{Path: string(document.EncodePath(abs))}
	name, rest, ok := strings.Cut(path, ":")
	if _, err := os.Lstat(abs); err == nil || !ok || filepath.IsAbs(path) {
		return here, nil
	}
	if source, err := document.ParseSource(name); err == nil {
		list := sourceRoots(ctx, nc)
		if len(list.Sources) > 0 && !slices.ContainsFunc(list.Sources, func(s contract.SourceInfo) bool { return s.Source == source }) {
			return here, document.Errorf(document.NotFound, "there is no source %q, and no file %s: `freshet source list` names the sources", name, abs)
		}
		return contract.ExplainFile{Source: source, Path: rest}, nil
	}
	return here, nil
}
