package report

import (
	"fmt"
	"io"

	"github.com/freshet-dev/freshet/lab/tune"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Tuning writes what was found, what it is worth, and what to do with it. file
// is where the weights were written, "" for nowhere.
func Tuning(w io.Writer, s terminal.Style, r *tune.Result, file string) error {
	p := &terminal.Printer{W: w}
	p.Linef("%s, %s; %s with the weights at the start is %.4f", terminal.Plural(r.Tasks, "task", "tasks"), terminal.Plural(r.Groups, "repository", "repositories"), r.Measure, r.Before)
	p.Linef("%-42s %.4f", "fitted to all of them", r.After)
	p.Linef("%-42s %s  (95 %% interval %s)", "on repositories that it was not fitted to", s.Bold(fmt.Sprintf("%.4f", r.HeldMean)), heldInterval(r))
	for _, row := range r.Held.Rows {
		if row.By == "category" || row.By == "language" {
			e := row.Figure(r.What)
			p.Linef("  %-10s %-28s %6s  %.3f  %s", row.By, terminal.Printable(row.Name), terminal.Count(row.Tasks), e.Value, s.Faint(fmt.Sprintf("%.3f-%.3f", e.Low, e.High)))
		}
	}
	for _, c := range r.Changes {
		p.Linef("  %-22s %v → %v", c.Key, c.From, c.To)
	}
	switch {
	case len(r.Changes) == 0:
		p.Linef("No other weight is better for these tasks.")
	case !r.Better():
		p.Linef("That is no gain on other repositories: keep the weights that you have, or give more tasks.")
	case file != "":
		p.Linef("The weights are in %s: name that file in the configuration (query.weights), and start freshet again.", file)
	default:
		p.Linef("To use them, write them with --write FILE, and name that file in the configuration: query.weights.")
	}
	return p.Err
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
