package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

type watchCommand struct {
	*command.Program
	sources, paths, langs []string
	meta                  metaFlag
	collections           collectionsFlag
	least                 float64
	keep, list, json      bool
	id, remove            string
}

func newWatch(p *command.Program) *cobra.Command {
	c := &watchCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "watch [QUESTION…]",
		Short: "Print what answers a question as soon as it is searchable",
		Long: "watch keeps a question and prints each new passage that answers it, once for a version of its document, until Ctrl-C.\n" +
			"Then the question is forgotten; --keep keeps it for a day, and --id goes on with it, or with one that another program keeps.\n" +
			"Filters stand in the question or in flags, as in a search. What is searchable already is not printed.",
		Example: "  freshet watch \"where are invoices archived\"\n  freshet watch \"retry with backoff\" --lang go --json | jq -r .hit.path\n  freshet watch --list",
		RunE: func(cmd *cobra.Command, args []string) error {
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			question := strings.Join(args, " ")
			asked := 0
			for _, given := range []bool{question != "", c.list, c.id != "", c.remove != ""} {
				if given {
					asked++
				}
			}
			switch {
			case asked != 1:
				return document.Errorf(document.InvalidRequest, "give a question, or one of --id, --list and --remove")
			case c.list:
				raw, list, err := client.ListWatches.Raw(cmd.Context(), nc, client.None)
				return c.printWatches(raw, list, err)
			case c.remove != "":
				raw, list, err := client.RemoveWatch.Raw(cmd.Context(), nc, contract.WatchRemove{ID: c.remove})
				return c.printWatches(raw, list, err)
			}
			return c.followWatch(cmd, nc, question)
		},
	}
	cmd.Flags().StringArrayVar(&c.sources, "source", nil, "only the source of this `name` (may be repeated)")
	cmd.Flags().StringArrayVar(&c.langs, "lang", nil, "only this `language` (may be repeated)")
	addCollections(cmd.Flags(), &c.collections)
	cmd.Flags().StringArrayVar(&c.paths, "path", nil, pathUsage)
	addMeta(cmd.Flags(), &c.meta, askMeta)
	cmd.Flags().Float64Var(&c.least, "min-relevance", 0, fmt.Sprintf("print passages from this `relevance` on (default %g)", contract.DefaultRelevance))
	cmd.Flags().BoolVar(&c.keep, "keep", false, "keep the question when this ends")
	cmd.Flags().StringVar(&c.id, "id", "", "print what answers the kept question of this `id`")
	cmd.Flags().BoolVar(&c.list, "list", false, "list the questions that are kept")
	cmd.Flags().StringVar(&c.remove, "remove", "", "forget the kept question of this `id`")
	cmd.Flags().BoolVar(&c.json, "json", false, "print each message as it came over NATS, one a line")
	return cmd
}

func (c *watchCommand) printWatches(raw json.RawMessage, list contract.WatchList, err error) error {
	if err != nil {
		return err
	}
	if c.json {
		return c.PrintJSON(raw)
	}
	return render.Watches(c.Stdout, c.Style(), list)
}

// extendEvery is how often the end of a question that is listened to is put off.
const extendEvery = contract.StandingTime / 4

// followWatch prints what a kept question is told.
func (c *watchCommand) followWatch(cmd *cobra.Command, nc *nats.Conn, question string) error {
	messages := make(chan *nats.Msg, changesBacklog)
	// Before there is an id: what is told right after it is heard, too.
	subjects := []string{contract.AllStanding}
	if user := contract.UserOf(nc.Opts.InboxPrefix + "."); user != "" {
		subjects = append(subjects, contract.OwnStanding(user, "*")) // rules may keep the others' from it
	}
	for _, subject := range subjects {
		if _, err := nc.ChanSubscribe(subject, messages); err != nil {
			return fmt.Errorf("listen on %s: %w", subject, err)
		}
	}
	req := contract.WatchAdd{ID: c.id}
	if c.id == "" {
		req.Question = &contract.StandingQuestion{Query: question, Collections: c.collections, MinRelevance: c.least, Filter: contract.Filter{Paths: c.paths, Languages: c.langs, Metadata: document.Metadata(c.meta)}}
		for _, s := range c.sources {
			req.Question.Filter.Sources = append(req.Question.Filter.Sources, document.Source(s))
		}
	}
	kept, err := client.AddWatch.Ask(cmd.Context(), nc, req)
	if err != nil {
		return err
	}
	if c.id == "" && !c.keep {
		defer func() {
			// The command's own context has ended by now.
			_, _ = client.RemoveWatch.Ask(context.WithoutCancel(cmd.Context()), nc, contract.WatchRemove{ID: kept.ID})
		}()
	}
	if c.keep || terminal.IsTerminal(c.Stderr) {
		c.Note("kept as " + kept.ID + ", Ctrl-C ends")
	}
	places := PlacesOf(cmd.Context(), nc)
	ended := nc.StatusChanged(nats.CLOSED, nats.DISCONNECTED)
	extend := time.NewTicker(extendEvery)
	defer extend.Stop()
	told := map[string]bool{} // a process that was killed may tell again
	for {
		select {
		case m := <-messages:
			if !strings.HasSuffix(m.Subject, "."+kept.ID) {
				continue
			}
			if err := c.printStanding(m.Data, told, places); err != nil {
				return err
			}
		case <-extend.C:
			if _, err := client.AddWatch.Ask(cmd.Context(), nc, contract.WatchAdd{ID: kept.ID}); err != nil {
				return err
			}
		case <-ended:
			return document.Errorf(document.Unavailable, "the connection to the instance ended: start freshet again, then this command")
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		}
	}
}

func (c *watchCommand) printStanding(data []byte, told map[string]bool, places render.Places) error {
	var hit contract.StandingHit
	if err := json.Unmarshal(data, &hit); err != nil {
		return document.Errorf(document.VersionMismatch, "what was told is not what this version of freshet understands (%w): use the version that is running", err)
	}
	key := fmt.Sprint(hit.Hit.Source, hit.Hit.View, hit.Hit.Version)
	if told[key] {
		return nil
	}
	told[key] = true
	if c.json {
		return c.PrintJSON(data)
	}
	return render.Standing(c.Stdout, c.Style(), places, &hit)
}
