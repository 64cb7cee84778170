package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

func newDlqRetry(p *command.Program) *cobra.Command {
	var f changeFlags
	var noWait bool
	var limit time.Duration
	cmd := &cobra.Command{
		Use: "retry [PATH…]", Short: "Have documents that a stage gave up on handled again, and tell what became of them",
		Long: "retry has the stages that gave up on documents handle them again, in their newest version, and waits\n" +
			"until each is searchable or has failed again. The wish is noted in the log: a stage that does not run\n" +
			"now does it when it starts. It exits 0 when every document is done, or with --no-wait at once.",
		Example: "  freshet dlq retry --all\n" +
			"  freshet dlq retry --stage embedder --no-wait\n" +
			"  freshet dlq retry src/parse.go",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			list, places, err := f.change(cmd.Context(), nc, client.RetryDead, args)
			if err != nil {
				return err
			}
			tried := newRetries(p, nc, list)
			if !noWait {
				if err := tried.follow(cmd.Context(), limit); err != nil {
					return err
				}
			}
			if f.json {
				err = p.Print(tried.all())
			} else {
				err = render.Outcomes(p.Stdout, p.Style(), places, list, tried.outcomes)
			}
			switch {
			case err != nil:
				return err
			case len(list) == 0:
				p.Note("there was nothing to retry")
			case noWait:
				p.Note("they are being handled: `freshet dlq` lists what fails again")
			default:
				return tried.unfinished(cmd.Context())
			}
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.dismissed, "dismissed", false, "also those that were dismissed")
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "do not wait for what becomes of them")
	cmd.Flags().DurationVar(&limit, "timeout", time.Minute, "`time` to wait since one of them was last done, such as 90s; 0 is without end")
	cmd.Flags().BoolVar(&f.json, "json", false, "print each document and its outcome as JSON")
	return cmd
}

// retried is a letter and its outcome, as --json prints them.
type retried struct {
	Letter  contract.DeadRef     `json:"letter"`
	Outcome contract.DeadOutcome `json:"outcome"`
}

// retries are letters that are handled again, and what has become of each.
type retries struct {
	*command.Program
	nc       *nats.Conn
	list     []contract.DeadRef
	outcomes []contract.DeadOutcome // of each of the list
}

func newRetries(p *command.Program, nc *nats.Conn, list []contract.DeadRef) *retries {
	r := &retries{Program: p, nc: nc, list: list, outcomes: make([]contract.DeadOutcome, len(list))}
	for i := range r.outcomes {
		r.outcomes[i].Outcome = contract.RetryWaiting
	}
	return r
}

func (r *retries) all() []retried {
	out := make([]retried, len(r.list))
	for i := range r.list {
		out[i] = retried{r.list[i], r.outcomes[i]}
	}
	return out
}

const (
	// outcomeFirst and outcomeMost are the waits between two looks at the
	// outcomes, growing from one to the other.
	outcomeFirst = 50 * time.Millisecond
	outcomeMost  = time.Second
	// outcomeBatch is how many letters are asked for at once, so that long
	// paths still fit into a request.
	outcomeBatch = 250
)

// follow asks for the outcomes until none is open, or until none has changed for as
// long as the limit: many take long, and what goes on is not given up.
func (r *retries) follow(ctx context.Context, limit time.Duration) error {
	started := time.Now()
	var over *time.Timer
	var expired <-chan time.Time
	if limit > 0 {
		over = time.NewTimer(limit)
		defer over.Stop()
		expired = over.C
	}
	line := ProgressOn(r.Program)
	defer line.Clear()
	for wait := outcomeFirst; ; wait = min(2*wait, outcomeMost) {
		var left []int
		for i, o := range r.outcomes {
			if open(o) {
				left = append(left, i)
			}
		}
		for batch := range slices.Chunk(left, outcomeBatch) {
			req := contract.DeadOutcomeRequest{}
			for _, i := range batch {
				req.Letters = append(req.Letters, r.list[i])
			}
			rep, err := client.DeadOutcome.Ask(ctx, r.nc, req)
			if err != nil {
				return err
			}
			if len(rep.Outcomes) != len(batch) {
				return document.Errorf(document.Internal, "%d outcomes came for %d documents", len(rep.Outcomes), len(batch))
			}
			for n, i := range batch {
				if over != nil && r.outcomes[i].Outcome != rep.Outcomes[n].Outcome {
					over.Reset(limit)
				}
				r.outcomes[i] = rep.Outcomes[n]
			}
		}
		line.Text(render.Retrying(r.outcomes, time.Since(started)))
		if !slices.ContainsFunc(r.outcomes, open) {
			return nil
		}
		select {
		case <-time.After(wait):
		case <-expired:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("wait for the outcomes: %w", ctx.Err())
		}
	}
}

func open(o contract.DeadOutcome) bool {
	return o.Outcome == contract.RetryWaiting || o.Outcome == contract.RetryIndexing
}

// services run the stages.
var services = map[contract.Stage]string{
	contract.StageChunker: "chunker", contract.StageEmbed: "embedder",
	contract.StageLexical: "indexer", contract.StageVector: "indexer",
}

// unfinished is an error that says which documents are not done and what to do.
func (r *retries) unfinished(ctx context.Context) error {
	failed, indexing := 0, 0
	waiting := map[contract.Stage]int{}
	for i, o := range r.outcomes {
		switch o.Outcome {
		case contract.RetryFailed:
			failed++
		case contract.RetryIndexing:
			indexing++
		case contract.RetryWaiting:
			waiting[r.list[i].Stage]++
		}
	}
	var errs []error
	if failed > 0 {
		errs = append(errs, document.Errorf(document.Internal, "%s failed again: `freshet dlq show PATH` tells what to do", terminal.Documents(failed)))
	}
	if indexing > 0 {
		errs = append(errs, document.Errorf(document.Deadline, "%s passed the stage and are not searchable yet: `freshet status` tells what they wait for", terminal.Documents(indexing)))
	}
	if len(waiting) > 0 {
		// Without a status it is only not known who does not run.
		st, err := client.Status.Ask(ctx, r.nc, client.None)
		for _, stage := range contract.Stages {
			if waiting[stage] == 0 {
				continue
			}
			hint := "it is at work or paused, see `freshet status`"
			if err == nil && !slices.ContainsFunc(st.Reports, func(r contract.Report) bool { return r.Service == services[stage] }) {
				hint = "no " + services[stage] + " runs: start it, and it does what was asked for"
			}
			errs = append(errs, document.Errorf(document.Deadline, "%s still wait for the stage %s: %s", terminal.Documents(waiting[stage]), stage, hint))
		}
	}
	return errors.Join(errs...)
}
