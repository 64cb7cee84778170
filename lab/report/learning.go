package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/freshet-dev/freshet/lab/learn"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Learning writes what a training was worth, and what became of the model.
func Learning(w io.Writer, s terminal.Style, r *learn.Result, dryRun bool) error {
	p := &terminal.Printer{W: w}
	held := terminal.Plural(r.Parts, "group", "groups")
	if r.Held == "file" {
		held = terminal.Plural(r.Parts, "file", "files")
	}
	p.Linef("%s about %s; %s on what was held back in turn:", terminal.Plural(r.Tasks, "task", "tasks"), held, r.Measure)
	p.Linef("%-42s %6s  without  with", "", "tasks")
	for _, row := range r.Rows {
		if row.By == "group" && len(r.Rows) > mostRows {
			continue
		}
		name := row.By
		if row.By != "all" {
			name = fmt.Sprintf("  %-10s %s", row.By, terminal.Printable(row.Name))
		}
		p.Linef("%-42s %6s  %.3f    %.3f", name, terminal.Count(row.Tasks), row.Before, row.After)
	}
	d := r.Paired.Difference
	p.Linef("difference %s  (95 %% interval %+.4f to %+.4f, p %.4f; %d better, %d worse, %d the same)",
		s.Bold(fmt.Sprintf("%+.4f", d.Value)), d.Low, d.High, r.Paired.P, r.Paired.Wins, r.Paired.Losses, r.Paired.Ties)
	if c := r.Check; c != nil {
		p.Linef("the questions of --check (%s): %.4f without, %s with  (95 %% interval of the difference %+.4f to %+.4f, p %.4f)",
			terminal.Plural(c.Tasks, "task", "tasks"), c.Before, s.Bold(fmt.Sprintf("%.4f", c.After)), c.Paired.Difference.Low, c.Paired.Difference.High, c.Paired.P)
	}
	if r.Trees > 0 {
		p.Linef("%s", s.Faint(fmt.Sprintf("the model has %s, %s; it looks most at %s; it is for questions of the class %s", terminal.Plural(r.Trees, "tree", "trees"), terminal.Bytes(uint64(r.Bytes)), uses(r.Uses), strings.Join(r.Classes, ", "))))
	}
	switch {
	case r.Promoted:
		p.Linef("%s The running instance serves it from now on. `freshet search --explain` shows what it does, `freshet train reranker --remove` takes it back.", s.Good("That is a gain."))
	case r.Better() && dryRun:
		p.Linef("%s Without --dry-run the running instance would serve it.", s.Good("That is a gain."))
	case r.Gains():
		p.Linef("That is a gain, but the questions of --check are answered worse, and nothing was changed: train on tasks that are more like them.")
	case d.Value > 0:
		p.Linef("That is no more than chance may bring, and nothing was changed: give more tasks, or keep the order that you have.")
	default:
		p.Linef("That is no gain, and nothing was changed: give more tasks, or keep the order that you have.")
	}
	return p.Err
}

// mostRows is how many rows may be listed with those of groups.
const mostRows = 40

// usesListed bounds the features that are named.
const usesListed = 6

func uses(list []learn.Use) string {
	var names []string
	for _, u := range list[:min(len(list), usesListed)] {
		names = append(names, u.Feature)
	}
	return strings.Join(names, ", ")
}

// RerankerRemoved writes what was taken back.
func RerankerRemoved(w io.Writer, was *contract.RerankerState) error {
	p := &terminal.Printer{W: w}
	if was == nil {
		p.Linef("No learned reranker was served.")
		return p.Err
	}
	p.Linef("The learned reranker of %s is served no more; the order is that of the signals.", was.Trained.Local().Format("2006-01-02 15:04"))
	return p.Err
}
