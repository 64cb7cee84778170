package commands

import (
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/named"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

func newEvalAdd(p *command.Program) *cobra.Command {
	var source string
	cmd := &cobra.Command{
		Use: "add QUESTION [PATH[:LINES]…]", Short: "Keep a golden question", Args: cobra.MinimumNArgs(1),
		Long: "add keeps a question with the places that answer it: files or lines of them, as `freshet search` prints them.\n" +
			"Without a place nothing in the source that --source names answers it, and the right answer is that there is\n" +
			"nothing. A question of the same words to the same source takes the place of the former one.",
		Example: "  freshet eval add \"where is a request retried?\" pkg/retry.go:12-30\n" +
			"  freshet eval add \"does it fly?\" --source handbook",
		RunE: func(cmd *cobra.Command, args []string) error {
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			q, err := golden(cmd.Context(), nc, args[0], args[1:], source)
			if err != nil {
				return err
			}
			list, err := client.PutGolden.Ask(cmd.Context(), nc, q)
			if err != nil {
				return err
			}
			return say(p, "kept: %s in all; ask them with `freshet eval`", terminal.Plural(len(list.Questions), "golden question", "golden questions"))
		},
	}
	cmd.Flags().StringVar(&source, "source", "", "`name` of the source that is asked (default: that of the places)")
	return cmd
}

// golden reads a question and its places, which are all of one source.
func golden(ctx context.Context, nc *nats.Conn, query string, places []string, source string) (q contract.GoldenQuestion, err error) {
	q.Query = query
	if source != "" {
		if q.Source, err = document.ParseSource(source); err != nil {
			return q, err
		}
	}
	if len(places) == 0 && source == "" {
		return q, document.Errorf(document.InvalidRequest, "neither a place nor --source is given: name what answers the question, or the source in which nothing does")
	}
	list, err := client.Sources.Ask(ctx, nc, client.None)
	if err != nil {
		return q, err
	}
	for _, arg := range places {
		path, from, to, err := named.Lines(arg)
		if err != nil {
			return q, err
		}
		of, doc, err := named.Document(list.Sources, path)
		switch {
		case err != nil:
			return q, err
		case of == "" && q.Source == "":
			return q, document.Errorf(document.InvalidRequest, "%s may be of any source: write SOURCE:PATH, or name the source with --source", terminal.Printable(arg))
		case of != "" && q.Source != "" && of != q.Source:
			return q, document.Errorf(document.InvalidRequest, "%s is of the source %s, and the question is one to %s: keep one for each", terminal.Printable(arg), of, q.Source)
		case of != "":
			q.Source = of
		}
		q.Answers = append(q.Answers, contract.GoldenAnswer{Path: doc, StartLine: from, EndLine: to})
	}
	return q, nil
}

func newEvalList(p *command.Program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the golden questions that are kept", Args: cobra.NoArgs,
		Long:    "list prints the golden questions: id, the question, its source, and the places that answer it.",
		Example: "  freshet eval list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return remote.Once(cmd.Context(), p, client.ListGolden, client.None, asJSON, func(list contract.GoldenList) error {
				if len(list.Questions) == 0 {
					p.Note("none is kept: add one with `freshet eval add`, or on the page")
				}
				return printGolden(p, list.Questions)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the reply as it came over NATS")
	return cmd
}

func newEvalRemove(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use: "remove ID", Short: "Remove a golden question", Args: cobra.ExactArgs(1),
		Long:    "remove forgets a golden question by its id, as `freshet eval list` prints it.",
		Example: "  freshet eval remove handbook:9f86d081884c7d65",
		RunE: func(cmd *cobra.Command, args []string) error {
			source, id, ok := strings.Cut(args[0], ":")
			if !ok {
				return document.Errorf(document.InvalidRequest, "the id is %q: write SOURCE:ID, as `freshet eval list` prints it", terminal.Printable(args[0]))
			}
			in := contract.GoldenRemove{Source: document.Source(source), ID: id}
			return remote.Once(cmd.Context(), p, client.RemoveGolden, in, false, func(list contract.GoldenList) error {
				return say(p, "removed: %s left", terminal.Plural(len(list.Questions), "golden question", "golden questions"))
			})
		},
	}
}

// printGolden writes one question a line, and its places below it.
func printGolden(p *command.Program, list []contract.GoldenQuestion) error {
	out, s := &terminal.Printer{W: p.Stdout}, p.Style()
	for _, q := range list {
		out.Linef("%s  %s", s.Faint(string(q.Source)+":"+q.ID), terminal.Printable(q.Query))
		for _, a := range q.Answers {
			place := terminal.Printable(a.Path.Raw())
			if a.StartLine > 0 {
				place += fmt.Sprintf(":%d-%d", a.StartLine, a.EndLine)
			}
			out.Linef("  %s", place)
		}
		if len(q.Answers) == 0 {
			out.Linef("  %s", s.Faint("nothing answers it"))
		}
	}
	return out.Err
}

func say(p *command.Program, format string, args ...any) error {
	out := &terminal.Printer{W: p.Stdout}
	out.Linef(format, args...)
	return out.Err
}
