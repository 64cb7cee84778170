package remote

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
)

func newDlqList(p *command.Program) *cobra.Command {
	var f letterFlags
	var all bool
	cmd := &cobra.Command{
		Use: "list [PATH…]", Short: "List documents that a stage gave up on, and why",
		Long:    "list prints path, stage, age, attempts and reason of each dead letter, ordered by source and path.",
		Example: "  freshet dlq list\n  freshet dlq list src/ --stage chunker --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			c, err := f.choose(cmd.Context(), nc, args, all)
			if err != nil {
				return err
			}
			sum := contract.DeadListReply{Letters: []contract.DeadLetter{}}
			for _, filter := range c.filters {
				total, err := pages(func(after string) (string, int, error) {
					rep, err := client.ListDead.Ask(cmd.Context(), nc, contract.DeadListRequest{Filter: filter, After: after})
					sum.Letters = append(sum.Letters, rep.Letters...)
					return rep.Next, rep.Total, err
				})
				if err != nil {
					return err
				}
				sum.Total += total
			}
			if f.json {
				return p.Print(sum)
			}
			if err := render.Letters(p.Stdout, p.Style(), c.places, sum.Letters, time.Now()); err != nil {
				return err
			}
			p.Note(afterList(sum.Letters))
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "also those that were dismissed, and those that have a newer version")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the reply as it came over NATS")
	return cmd
}

// pages asks for one page after the other, and returns the total of the last.
func pages(ask func(after string) (next string, total int, err error)) (int, error) {
	after := ""
	for {
		next, total, err := ask(after)
		if err != nil || next == "" {
			return total, err
		}
		after = next
	}
}

// afterList says what to do next.
func afterList(list []contract.DeadLetter) string {
	if len(list) == 0 {
		return "no stage has given up on anything"
	}
	return "`freshet dlq show PATH` tells more; after a fix, `freshet dlq retry --all` has all handled again"
}

func newDlqShow(p *command.Program) *cobra.Command {
	var f letterFlags
	cmd := &cobra.Command{
		Use: "show PATH…", Short: "Show all that is known of a document that a stage gave up on, and what to do",
		Long: "show prints the whole reason, the versions, the message that could not be handled, and what to do next,\n" +
			"also of dead letters that were dismissed.",
		Example: "  freshet dlq show src/parser.go",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			c, err := f.choose(cmd.Context(), nc, args, true)
			if err != nil {
				return err
			}
			sum := contract.DeadShowReply{Letters: []contract.DeadDetail{}}
			for _, filter := range c.filters {
				rep, err := client.ShowDead.Ask(cmd.Context(), nc, contract.DeadShowRequest{Filter: filter})
				if err != nil {
					return err
				}
				sum.Letters, sum.More = append(sum.Letters, rep.Letters...), sum.More+rep.More
			}
			if len(sum.Letters) == 0 {
				return document.Errorf(document.NotFound, "no stage has given up on %s: `freshet dlq` lists the others", strings.Join(args, ", "))
			}
			if f.json {
				return p.Print(sum)
			}
			if err := render.LetterDetails(p.Stdout, p.Style(), c.places, sum.Letters, time.Now()); err != nil {
				return err
			}
			if sum.More > 0 {
				p.Note(fmt.Sprintf("and %d more: name them one by one", sum.More))
			}
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the reply as it came over NATS")
	return cmd
}
