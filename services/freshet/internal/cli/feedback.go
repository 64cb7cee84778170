package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/feedback"
	"github.com/freshet-dev/freshet/lab/report"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

func newFeedback(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "feedback", Short: "Say which hits were right, and make tasks of it",
		Long: "feedback keeps what people did with the hits of their searches: shown, opened, thumb up, thumb down.\n" +
			"Nothing is kept but what is sent, by these commands or by a client on freshet.feedback; it holds the questions,\n" +
			"and is removed after 180 days, or by `freshet feedback purge` at once.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		remote.FeedbackTell(p, contract.FeedbackOpened, "Keep that you looked at a hit"),
		remote.FeedbackTell(p, contract.FeedbackUp, "Keep that a passage is what was asked for"),
		remote.FeedbackTell(p, contract.FeedbackDown, "Keep that a hit is not what was asked for"),
		newFeedbackList(p), newFeedbackExport(p), newFeedbackPurge(p),
	)
	return cmd
}

// heard is what --json of list prints.
type heard struct {
	Events     []contract.FeedbackEvent `json:"events"`
	Statistics feedback.Statistics      `json:"statistics"`
}

func newFeedbackList(p *command.Program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the events that are kept, and what they say of the searches", Args: cobra.NoArgs,
		Long: "list prints the events that are kept, the oldest first: age, kind, question, passage and rank. Then come\n" +
			"the figures: how often the first hit was one that somebody opened or praised, and the MRR of these.",
		Example: "  freshet feedback list\n  freshet feedback list --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			events, err := collect(cmd.Context(), nc)
			if err != nil {
				return err
			}
			sum := feedback.Measure(events)
			if asJSON {
				return p.Print(heard{Events: events, Statistics: sum})
			}
			if err := render.Feedback(p.Stdout, p.Style(), remote.PlacesOf(cmd.Context(), nc), events, time.Now()); err != nil {
				return err
			}
			if err := sum.Write(p.Stdout); err != nil {
				return err
			}
			if len(events) == 0 {
				p.Note(nothingHeard)
			} else {
				p.Note("`freshet feedback export FILE` makes tasks of it, `freshet feedback purge` removes it")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print events and figures as JSON")
	return cmd
}

// nothingHeard says what to do where there are no events.
const nothingHeard = "nobody has said anything yet: `freshet feedback up PATH --query QUESTION` says which passage was right"

// collectTimeout bounds the requests that read all events, of which each is
// short.
const collectTimeout = time.Minute

// collect returns all events, an empty list for none.
func collect(ctx context.Context, nc *nats.Conn) ([]contract.FeedbackEvent, error) {
	ctx, cancel := context.WithTimeout(ctx, collectTimeout)
	defer cancel()
	events, err := feedback.Collect(ctx, nc)
	if events == nil {
		events = []contract.FeedbackEvent{}
	}
	return events, err
}

// exported is what --json of export prints.
type exported struct {
	File   string `json:"file"`
	Events int    `json:"events"`
	Tasks  int    `json:"tasks"`
	Gone   int    `json:"gone"` // hits in documents that are gone
}

func newFeedbackExport(p *command.Program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "export FILE", Short: "Write tasks for `freshet eval` of what was opened and what got a thumb up",
		Long: "export writes a task for each question of which a hit was opened (grade 1) or got a thumb up (grade 2). The last event\n" +
			"on a passage counts: a thumb down takes it out, and a question that has nothing else is left out. Lines are those of\n" +
			"now, where a passage is as it was; what was said of documents that are gone is left out.",
		Example: "  freshet feedback export questions.jsonl && freshet eval questions.jsonl",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			events, err := collect(cmd.Context(), nc)
			if err != nil {
				return err
			}
			progress := remote.ProgressOn(p)
			now, gone, err := feedback.Update(cmd.Context(), nc, events, func(done, total int) { progress.Text(report.Doing("documents", done, total)) })
			progress.Clear()
			if err != nil {
				return err
			}
			tasks := feedback.Tasks(now)
			if len(tasks) == 0 {
				return document.Errorf(document.NotFound, "there is no task in %s: open hits, or say which passages were right with `freshet feedback up PATH --query QUESTION`", terminal.Plural(len(events), "event", "events"))
			}
			if err := writeTasks(args[0], tasks); err != nil {
				return err
			}
			sum := exported{File: args[0], Events: len(events), Tasks: len(tasks), Gone: gone}
			if asJSON {
				return p.Print(sum)
			}
			if _, err := fmt.Fprintf(p.Stdout, "%s  %s of %s\n", sum.File, terminal.Plural(sum.Tasks, "task", "tasks"), terminal.Plural(sum.Events, "event", "events")); err != nil {
				return fmt.Errorf("write the answer: %w", err)
			}
			if gone > 0 {
				p.Note(terminal.Plural(gone, "hit", "hits") + " left out, of documents that are gone")
			}
			p.Note("measure with `freshet eval " + terminal.ShellWord(sum.File) + "`; the file holds the questions that people asked")
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was written as JSON")
	return cmd
}

// writeTasks writes a task a line, for its owner alone: it says what people
// looked for.
func writeTasks(file string, tasks []eval.Task) error {
	var b bytes.Buffer
	for _, t := range tasks {
		line, err := json.Marshal(t)
		if err != nil {
			return fmt.Errorf("encode a task: %w", err)
		}
		b.Write(append(line, '\n'))
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		return document.Errorf(document.Forbidden, "cannot write the tasks: %w: name a file in a folder that is there", err)
	}
	return nil
}

func newFeedbackPurge(p *command.Program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "purge", Short: "Remove all events", Args: cobra.NoArgs,
		Example: "  freshet feedback purge",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return remote.Once(cmd.Context(), p, client.PurgeFeedback, client.None, asJSON, func(reply contract.FeedbackPurgeReply) error {
				if _, err := fmt.Fprintf(p.Stdout, "removed %s\n", terminal.Plural(int(reply.Removed), "event", "events")); err != nil {
					return fmt.Errorf("write the answer: %w", err)
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the reply as it came over NATS")
	return cmd
}
