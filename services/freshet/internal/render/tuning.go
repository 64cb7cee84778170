package render

import (
	"fmt"
	"io"

	"github.com/freshet-dev/freshet/services/freshet/internal/eval/tune"
)

// Tuning writes what was found, what it is worth, and what to do with it. file
// is where the weights were written, "" for nowhere.
func Tuning(w io.Writer, s Style, r *tune.Result, file string) error {
	p := &printer{w: w}
	p.linef("%s, %s; %s with the weights at the start is %.4f", plural(r.Tasks, "task", "tasks"), plural(r.Groups, "repository", "repositories"), r.Measure, r.Before)
	p.linef("%-42s %.4f", "fitted to all of them", r.After)
	p.linef("%-42s %s  (95 %% interval %s)", "on repositories that it was not fitted to", s.bold(fmt.Sprintf("%.4f", r.HeldMean)), heldInterval(r))
	for _, row := range r.Held.Rows {
		if row.By == "category" || row.By == "language" {
			e := row.Figure(r.What)
			p.linef("  %-10s %-28s %6s  %.3f  %s", row.By, printable(row.Name), count(row.Tasks), e.Value, s.faint(fmt.Sprintf("%.3f-%.3f", e.Low, e.High)))
		}
	}
	for _, c := range r.Changes {
		p.linef("  %-22s %v → %v", c.Key, c.From, c.To)
	}
	switch {
	case len(r.Changes) == 0:
		p.linef("No other weight is better for these tasks.")
	case !r.Better():
		p.linef("That is no gain on other repositories: keep the weights that you have, or give more tasks.")
	case file != "":
		p.linef("The weights are in %s: put them into the configuration, and start freshet again.", file)
	default:
		p.linef("To use them, write them with --write and put them into the configuration under query.ranking.")
	}
	return p.err
}

func heldInterval(r *tune.Result) string {
	for _, row := range r.Held.Rows {
		if row.By == "all" {
			e := row.Figure(r.What)
			return fmt.Sprintf("%.3f-%.3f", e.Low, e.High)
		}
	}
	return "none"
}
