// Package flight is the command that lets a vulture fly: `freshet vulture`.
package flight

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/checks/vulture"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// Time limits of a vulture's end.
const (
	// settleLimit is how long the deployment may take to come to rest.
	settleLimit = 10 * time.Minute
	// leaveLimit bounds the removal of what was written. It is shorter than
	// the drain of the program, so that it is done after Ctrl-C as well.
	leaveLimit = 4 * time.Second
)

// flight is what the flags of vulture say.
type flight struct {
	*command.Program
	config      vulture.Config
	source, dir string
	asJSON      bool
}

// Command returns `freshet vulture`.
func Command(p *command.Program) *cobra.Command {
	f := &flight{Program: p}
	cmd := &cobra.Command{
		Use:   "vulture",
		Short: "Check that the running instance keeps its promises, under fire",
		Long: "vulture writes, edits, renames and deletes files and switches branches, asks about them at the same\n" +
			"moment, and checks every answer against what was acknowledged. At the end it asks for everything once\n" +
			"more and has the stores compared with the log. It exits with 1 when an answer was stale, a ghost,\n" +
			"missing, twice there or wrong otherwise, or when fewer than 99.9 % of the questions with a token were\n" +
			"answered fresh within 2 s. It writes in temporary folders that it adds as sources and removes again.",
		Example: "  freshet vulture --for 1m\n  freshet vulture --for 0 --json > vulture.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.config.Seed == 0 {
				f.config.Seed = rand.Uint64() >> 32 // short enough to be typed
			}
			return f.fly(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.config.Duration, "for", 10*time.Minute, "`time` to write and ask; 0: until Ctrl-C")
	flags.IntVar(&f.config.Writers, "writers", 8, "`number` of writers at the same time; the last of several switches branches")
	flags.IntVar(&f.config.Readers, "readers", 8, "`number` of readers at the same time")
	flags.DurationVar(&f.config.Pace, "pace", 100*time.Millisecond, "mean `pause` of a writer between two writes")
	flags.Uint64Var(&f.config.Seed, "seed", 0, "`number` that decides what is written and asked; 0: another one each time")
	flags.StringVar(&f.source, "source", "", "write in a new folder at the root of the watched source of this `name`, and add none")
	flags.StringVar(&f.dir, "dir", "", "write in this `folder` below the root of a watched source, and add none")
	flags.BoolVar(&f.config.Interrupted, "interrupted", false, "the instance may be down for moments: count failed requests, and do not judge how fast it is")
	flags.BoolVar(&f.asJSON, "json", false, "print the report as JSON")
	cmd.MarkFlagsMutuallyExclusive("source", "dir")
	return cmd
}

// fly makes a place to write in, circles, and reports.
func (f *flight) fly(ctx context.Context) (err error) {
	switch c := &f.config; {
	case c.Writers < 1 || c.Readers < 1:
		return document.Errorf(document.InvalidRequest, "--writers and --readers have to be at least 1")
	case c.Duration < 0 || c.Pace <= 0:
		return document.Errorf(document.InvalidRequest, "--for may not be negative and --pace has to be above 0")
	case c.Duration == 0:
		c.Duration = -1
	}
	if f.config.Remote, err = instance.FindLog(f.NATS, f.Data); err != nil {
		return err
	}
	nc, err := f.Dial(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	workspace, err := f.workspace(ctx, nc)
	if err != nil {
		return err
	}
	f.config.Place, f.config.Repository = workspace.Place, workspace.Repository
	report, err := f.circle(ctx)

	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveLimit)
	defer cancel()
	err = errors.Join(err, workspace.Remove(leaving))
	if report.Checked == 0 && err != nil {
		return err
	}
	if perr := f.print(report); perr != nil {
		return errors.Join(err, perr)
	}
	if report.Broken() > 0 {
		return errors.Join(command.Broken, err)
	}
	return err
}

func (f *flight) workspace(ctx context.Context, nc *nats.Conn) (*vulture.Workspace, error) {
	switch {
	case f.dir != "":
		dir, err := filepath.Abs(f.dir)
		if err != nil {
			return nil, document.Errorf(document.InvalidRequest, "the path %s has no absolute form (%w): give it in full", f.dir, err)
		}
		return vulture.Borrow(ctx, nc, "", dir)
	case f.source != "":
		source, err := document.ParseSource(f.source)
		if err != nil {
			return nil, err
		}
		return vulture.Borrow(ctx, nc, source, "")
	}
	workspace, err := vulture.Build(ctx, nc)
	if err == nil && workspace.Repository.Dir == "" {
		f.Note("git is not installed here, so no branches are switched")
	}
	return workspace, err
}

// circle returns what was found also where it was cut short.
func (f *flight) circle(ctx context.Context) (vulture.Report, error) {
	line, c := f.Live(), f.config
	defer line.Clear()
	if line.There() {
		c.Progress = func(r vulture.Report) { line.Text(r.Line()) }
	}
	v, err := vulture.New(ctx, c)
	if err != nil {
		return vulture.Report{}, err
	}
	defer v.Close()
	if err := v.Circle(ctx); err != nil {
		return v.Report(), err
	}
	settling, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	err = v.Settle(settling)
	return v.Report(), err
}

// print writes the report and tells what to do next.
func (f *flight) print(r vulture.Report) error {
	if f.asJSON {
		raw, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode the report: %w", err)
		}
		if err := f.PrintJSON(raw); err != nil {
			return err
		}
	} else if _, err := fmt.Fprint(f.Stdout, r); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	const shown = 10
	for i, v := range r.Violations() {
		if i == shown {
			break
		}
		f.Note(v.String())
	}
	if n := r.Broken(); n > 0 {
		f.Note(fmt.Sprintf("%d violations: keep the table, the seed and the log of the instance for a report; --json lists all of them", n))
	}
	return nil
}
