package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Evaluation writes the figures of a task set, and with misses a line for each
// of these.
func Evaluation(w io.Writer, s terminal.Style, r *eval.Report, misses bool) error {
	p := &terminal.Printer{W: w}
	p.Linef("%s  %s", s.Bold(terminal.Printable(r.Set)), evaluated(r))
	figures(p, s, r)
	p.Linef("%s", s.Faint(intervals(r)))
	delays(p, r)
	lost(p, s, r, misses)
	confidence(p, r)
	for _, reason := range slices.Sorted(maps.Keys(r.Errors)) {
		p.Linef("%s %s: %s", s.Bad("not answered:"), terminal.Plural(r.Errors[reason], "task", "tasks"), terminal.Printable(reason))
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Degraded)) {
		p.Linef("%s %s: %s", s.Bad("degraded:"), terminal.Plural(r.Degraded[reason], "answer", "answers"), terminal.Printable(reason))
	}
	if r.Pending > 0 {
		p.Linef("%s %s came while documents were being indexed: ask again when `freshet status` says that nothing waits", s.Bad("pending:"), terminal.Plural(r.Pending, "answer", "answers"))
	}
	if len(r.Arms) > 0 {
		arms(p, s, r)
	}
	if r.Against != nil {
		against(p, s, r.Against)
	}
	return p.Err
}

func evaluated(r *eval.Report) string {
	text := terminal.Plural(r.Tasks, "task", "tasks")
	if r.Unanswerable > 0 {
		text += fmt.Sprintf(", %s of them without an answer", terminal.Count(r.Unanswerable))
	}
	text += fmt.Sprintf(", ranks over %s", r.Way)
	if len(r.Off) > 0 {
		text += ", without " + strings.Join(r.Off, ", ")
	}
	return text
}

// figures writes each row with its intervals below.
func figures(p *terminal.Printer, s terminal.Style, r *eval.Report) {
	width := len("language")
	for _, row := range r.Rows {
		width = max(width, len([]rune(row.Name))+2)
	}
	p.Linef("%-*s  %6s  %9s %9s", width, "", "", "NDCG@10", "NDCG@10")
	p.Linef("%-*s  %6s  %9s %9s %9s %9s %9s %9s %9s %9s", width, "", "tasks", "files", "chunks",
		fmt.Sprintf("recall@%d", r.K), "MRR", "hit@1", "hit@3", "hit@5", "hit@10")
	by := "all"
	for _, row := range r.Rows {
		if row.By == "group" {
			continue // --json has them: as many as there are repositories
		}
		name := "  " + terminal.Printable(row.Name)
		if row.By == "all" {
			name = "all"
		}
		if row.By != by {
			by = row.By
			p.Linef("%s", s.Bold(by))
		}
		values, ends := "", ""
		for m := range eval.MeasureNames {
			e := row.Figure(eval.Measure(m))
			values += fmt.Sprintf(" %9.3f", e.Value)
			ends += fmt.Sprintf(" %9s", share(e.Low)+"-"+share(e.High))
		}
		p.Linef("%-*s  %6s %s", width, name, terminal.Count(row.Tasks), values)
		p.Linef("%s", s.Faint(fmt.Sprintf("%-*s  %6s %s", width, "", "", ends)))
	}
}

// share writes a number from 0 to 1 in four characters: .851.
func share(v float64) string {
	text := fmt.Sprintf("%.3f", v)
	if text[0] == '0' {
		return text[1:]
	}
	return text[:4]
}

func intervals(r *eval.Report) string {
	text := "below each row its 95 % intervals, by bootstrap over "
	by := map[string]bool{}
	for _, row := range r.Rows {
		by[row.Resampled] = true
	}
	switch {
	case len(by) == 2:
		return text + "groups where a row has enough of them, else over tasks"
	case by[eval.ByGroup]:
		return text + "groups"
	}
	return text + "tasks"
}

func delays(p *terminal.Printer, r *eval.Report) {
	if i := r.Indexing; i != nil {
		p.Linef("indexed %s, %s in %.1f s from an empty state", terminal.Documents(i.Documents), terminal.Plural(i.Passages, "passage", "passages"), i.Seconds)
	}
	l := r.Latency
	first, rest := "of an instance that was running", "; questions that it was asked before may be remembered"
	if l.Fresh {
		first, rest = "cold", ", none of them remembered"
	}
	p.Linef("first query %.1f ms (%s)", l.First.P50, first)
	if l.Warm.Count > 0 {
		p.Linef("warm p50 %.1f ms, p99 %.1f ms, within the service %.1f and %.1f ms (%s, each asked once%s)",
			l.Warm.P50, l.Warm.P99, l.Service.P50, l.Service.P99, terminal.Plural(l.Warm.Count, "query", "queries"), rest)
	}
}

// queryWidth bounds what is shown of a question.
const queryWidth = 110

func lost(p *terminal.Printer, s terminal.Style, r *eval.Report, all bool) {
	if len(r.Misses) == 0 {
		p.Linef("no miss among the first %d", r.K)
		return
	}
	text := terminal.Plural(len(r.Misses), "miss", "misses") + fmt.Sprintf(" among the first %d, by the stage that lost them:", r.K)
	for _, stage := range eval.Stages {
		if n := r.Stages[stage]; n > 0 {
			text += fmt.Sprintf("  %s %s", s.Bold(stage), terminal.Count(n))
		}
	}
	p.Linef("%s", text)
	if !all {
		return
	}
	for _, m := range r.Misses {
		at := ""
		if m.Rank > 0 {
			at = fmt.Sprintf(" #%d", m.Rank)
		}
		p.Linef("  %s%s  %s  %s  %s: %s", s.Bad(m.Stage), at, terminal.Printable(m.ID), s.Bold(terminal.Printable(terminal.Shorten(m.Query, queryWidth))), s.Path(terminal.Printable(m.Target)), s.Faint(terminal.Printable(m.Why)))
	}
}

func confidence(p *terminal.Printer, r *eval.Report) {
	if a := r.Abstention; a != nil {
		p.Linef("said that there is nothing: %s, precision %.3f, recall %.3f of the %s without an answer",
			terminal.Plural(a.Abstained, "time", "times"), a.Precision, a.Recall, terminal.Count(r.Unanswerable))
	}
	if c := r.Reliability; c != nil {
		p.Linef("confidence: calibration error %.3f, Brier score %.3f", c.Error, c.Brier)
		for _, b := range c.Bins {
			p.Linef("  %.2f stated, %.2f found (%s)", b.Confidence, b.Found, terminal.Plural(b.Answers, "answer", "answers"))
		}
	}
}

func against(p *terminal.Printer, s terminal.Style, c *eval.Comparison) {
	line := fmt.Sprintf("against %s of %s, %s", terminal.Printable(c.File), c.Time.Local().Format(time.DateTime), terminal.Plural(c.Tasks, "task", "tasks"))
	if len(c.Off) > 0 {
		line += ", then without " + strings.Join(c.Off, ", ")
	}
	if c.Unpaired > 0 {
		line += fmt.Sprintf(", %s that only one of the two has are left out", terminal.Count(c.Unpaired))
	}
	p.Linef("%s", s.Bold(line))
	p.Linef("  %-14s  %6s  %6s  %10s  %-16s  %7s  %6s  %6s  %6s", "", "before", "now", "difference", "95 %", "p", "better", "worse", "same")
	for _, name := range eval.MeasureNames {
		d := c.Paired[name]
		row := fmt.Sprintf("  %-14s  %6.3f  %6.3f  %+10.3f  %-16s  %7.4f  %6d  %6d  %6d", name, c.Before[name], c.Now[name],
			d.Difference.Value, fmt.Sprintf("%+.3f to %+.3f", d.Difference.Low, d.Difference.High), d.P, d.Wins, d.Losses, d.Ties)
		switch {
		case d.P >= 0.05: // the usual threshold
		case d.Difference.Value > 0:
			row = s.Good(row)
		default:
			row = s.Bad(row)
		}
		p.Linef("%s", row)
	}
	p.Linef("%s", s.Faint("p: two-sided permutation test over "+c.Resampled+"s; the difference's interval by bootstrap over the same"))
}
