package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/freshet/internal/eval/learn"
)

// Learning writes what a training was worth, and what became of the model.
func Learning(w io.Writer, s Style, r *learn.Result, dryRun bool) error {
	p := &printer{w: w}
	held := plural(r.Parts, "group", "groups")
	if r.Held == "file" {
		held = plural(r.Parts, "file", "files")
	}
	p.linef("%s about %s; %s on what was held back in turn:", plural(r.Tasks, "task", "tasks"), held, r.Measure)
	p.linef("%-42s %6s  without  with", "", "tasks")
	for _, row := range r.Rows {
		if row.By == "group" && len(r.Rows) > mostRows {
			continue
		}
		name := row.By
		if row.By != "all" {
			name = fmt.Sprintf("  %-10s %s", row.By, printable(row.Name))
		}
		p.linef("%-42s %6s  %.3f    %.3f", name, count(row.Tasks), row.Before, row.After)
	}
	d := r.Paired.Difference
	p.linef("difference %s  (95 %% interval %+.4f to %+.4f, p %.4f; %d better, %d worse, %d the same)",
		s.bold(fmt.Sprintf("%+.4f", d.Value)), d.Low, d.High, r.Paired.P, r.Paired.Wins, r.Paired.Losses, r.Paired.Ties)
	if c := r.Check; c != nil {
		p.linef("the questions of --check (%s): %.4f without, %s with  (95 %% interval of the difference %+.4f to %+.4f, p %.4f)",
			plural(c.Tasks, "task", "tasks"), c.Before, s.bold(fmt.Sprintf("%.4f", c.After)), c.Paired.Difference.Low, c.Paired.Difference.High, c.Paired.P)
	}
	if r.Trees > 0 {
		p.linef("%s", s.faint(fmt.Sprintf("the model has %s, %s; it looks most at %s; it is for questions of the class %s", plural(r.Trees, "tree", "trees"), bytes(uint64(r.Bytes)), uses(r.Uses), strings.Join(r.Classes, ", "))))
	}
	switch {
	case r.Promoted:
		p.linef("%s The running instance serves it from now on. `freshet search --explain` shows what it does, `freshet train reranker --remove` takes it back.", s.good("That is a gain."))
	case r.Better() && dryRun:
		p.linef("%s Without --dry-run the running instance would serve it.", s.good("That is a gain."))
	case r.Gains():
		p.linef("That is a gain, but the questions of --check are answered worse, and nothing was changed: train on tasks that are more like them.")
	case d.Value > 0:
		p.linef("That is no more than chance may bring, and nothing was changed: give more tasks, or keep the order that you have.")
	default:
		p.linef("That is no gain, and nothing was changed: give more tasks, or keep the order that you have.")
	}
	return p.err
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
	p := &printer{w: w}
	if was == nil {
		p.linef("No learned reranker was served.")
		return p.err
	}
	p.linef("The learned reranker of %s is served no more; the order is that of the signals.", was.Trained.Local().Format("2006-01-02 15:04"))
	return p.err
}
