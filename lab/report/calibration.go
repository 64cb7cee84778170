package report

import (
	"fmt"
	"io"

	"github.com/freshet-dev/freshet/lab/calibrate"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Calibration writes what a fit of confidence is worth.
func Calibration(w io.Writer, s terminal.Style, r *calibrate.Report) error {
	p := &terminal.Printer{W: w}
	p.Linef("%s, %s of them without an answer; of %s the hits hold it. Judged by fits that have not seen the task's set, or folder:",
		terminal.Plural(r.Tasks, "task", "tasks"), terminal.Count(r.Unanswerable), terminal.Count(r.Found))
	reliability(p, s, "answers", &r.Answers)
	reliability(p, s, "hits", &r.Hits)
	reliability(p, s, "passages by themselves", &r.Passages)
	kinds(p, s, "question", r.Questions)
	kinds(p, s, "set", r.Families)
	kinds(p, s, "task", r.Kinds)
	p.Linef("%s", s.Bold("saying \"nothing relevant\" below a confidence"))
	p.Linef("  %10s %8s %8s %10s %8s %20s", "confidence", "said", "empty", "precision", "recall", "right answers lost")
	for _, a := range r.Abstention {
		p.Linef("  %10.2f %8s %8.2f %10.2f %8.2f %20.3f", a.Below, terminal.Count(a.Said), a.Empty, a.Precision, a.Recall, a.Wrong)
	}
	p.Linef("Empty: of these answers, those whose hits hold no answer. Precision: those to questions that nothing answers.")
	p.Linef("Recall: of the questions that nothing answers, these.")
	said := "It is said below a limit for each kind of question: "
	for _, k := range r.Questions {
		said += fmt.Sprintf("%s %.2f, ", k.Kind, k.Low)
	}
	p.Linef("%sothers %.2f.", said, r.Low)
	return p.Err
}

func kinds(p *terminal.Printer, s terminal.Style, of string, list []calibrate.OfKind) {
	p.Linef("%s", s.Bold("by kind of "+of+": calibration error of answers and of hits as the program in use states it, and by this fit; nothing relevant: said, and rightly"))
	p.Linef("  %-22s %6s %6s  %14s  %14s  %12s  %12s", of, "asked", "found", "answers", "hits", "said now", "by this fit")
	for _, k := range list {
		p.Linef("  %-22s %6s %6s  %6.3f → %5.3f  %6.3f → %5.3f  %12s  %12s", k.Kind, terminal.Count(k.Tasks), terminal.Count(k.Found), k.Stated, k.Fitted, k.HitsStated, k.HitsFitted,
			fmt.Sprintf("%d of %d", k.Rightly, k.Nothing), fmt.Sprintf("%d of %d", k.RightlyFitted, k.NothingFitted))
	}
}

func reliability(p *terminal.Printer, s terminal.Style, name string, r *calibrate.Reliability) {
	p.Linef("%s  calibration error %.3f, Brier %.3f (%.3f if all were said to be equally sure)", s.Bold(name), r.Error, r.Brier, r.Base)
	p.Linef("  %10s %8s %8s", name, "said", "was")
	for _, b := range r.Bins {
		bar := ""
		for range int(b.Was*40 + .5) {
			bar += "▪"
		}
		p.Linef("  %10s %8.2f %8.2f  %s", terminal.Count(b.Samples), b.Said, b.Was, s.Faint(bar))
	}
}
