package render

import (
	"io"

	"github.com/freshet-dev/freshet/services/freshet/internal/eval/calibrate"
)

// Calibration writes what a fit of confidence is worth.
func Calibration(w io.Writer, s Style, r *calibrate.Report) error {
	p := &printer{w: w}
	p.linef("%s, %s of them without an answer; of %s the hits hold it. Judged by fits that have not seen the task's folder:",
		plural(r.Tasks, "task", "tasks"), count(r.Unanswerable), count(r.Found))
	p.reliability(s, "answers", &r.Answers)
	p.reliability(s, "hits", &r.Hits)
	p.linef("%s", s.bold("saying \"nothing relevant\" below a confidence"))
	p.linef("  %10s %8s %8s %10s %8s %20s", "confidence", "said", "empty", "precision", "recall", "right answers lost")
	for _, a := range r.Abstention {
		p.linef("  %10.2f %8s %8.2f %10.2f %8.2f %20.3f", a.Below, count(a.Said), a.Empty, a.Precision, a.Recall, a.Wrong)
	}
	p.linef("It is said below %.2f. Empty: of these answers, those whose hits hold no answer. Precision: those to questions that nothing answers.", r.Low)
	p.linef("Recall: of the questions that nothing answers, these.")
	return p.err
}

func (p *printer) reliability(s Style, name string, r *calibrate.Reliability) {
	p.linef("%s  calibration error %.3f, Brier %.3f (%.3f if all were said to be equally sure)", s.bold(name), r.Error, r.Brier, r.Base)
	p.linef("  %10s %8s %8s", name, "said", "was")
	for _, b := range r.Bins {
		bar := ""
		for range int(b.Was*40 + .5) {
			bar += "▪"
		}
		p.linef("  %10s %8.2f %8.2f  %s", count(b.Samples), b.Said, b.Was, s.faint(bar))
	}
}
