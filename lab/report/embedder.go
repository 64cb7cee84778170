package report

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/freshet-dev/freshet/lab/adapt"
	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// TrainedEmbedder writes what a training came to, and what to do with it.
func TrainedEmbedder(w io.Writer, s terminal.Style, r *adapt.Report) error {
	p := &terminal.Printer{W: w}
	p.Linef("%s: learnt from %s, stopped by %s, judged by %s of files that were held back",
		terminal.Plural(r.Pairs, "pair", "pairs"), terminal.Count(r.Fit), terminal.Count(r.Dev), terminal.Count(r.Held))
	if r.Left > 0 {
		p.Linef("%s left out: no passage of the corpus answers them", terminal.Plural(r.Left, "question", "questions"))
	}
	p.Linef("%s in %.0f s, the best is number %d", terminal.Plural(len(r.Loss), "epoch", "epochs"), r.Seconds, r.Best)
	p.Linef("")
	p.Linef("what vectors alone find of the held-back questions, among %s:", terminal.Plural(r.Comparison.Passages, "passage", "passages"))
	p.Columns(false, func(t *terminal.Printer) {
		t.Linef("  \tin use\ttrained\tdifference\tp\tbetter\tworse")
		for _, name := range slices.Sorted(maps.Keys(r.Comparison.Paired)) {
			d := r.Comparison.Paired[name]
			t.Linef("  %s\t%.3f\t%.3f\t%s\t%.4f\t%s\t%s", name, r.Comparison.Before[name].Value, r.Comparison.After[name].Value, difference(d.Difference), d.P, terminal.Count(d.Wins), terminal.Count(d.Losses))
		}
	})
	p.Linef("")
	switch {
	case !r.Won:
		p.Linef("%s that is no more than chance, so nothing is written: keep %s, or name more files.", s.Bold("Not better:"), r.InUse)
	case r.Out == "":
		p.Linef("%s name a folder with --out to keep it.", s.Good("Better:"))
	default:
		p.Linef("%s %s is in %s.", s.Good("Better:"), r.Trained, terminal.Printable(r.Out))
		p.Linef("To use it, set embedder.model: %s in the configuration and start freshet again; it then indexes everything anew.", terminal.Printable(r.Out))
	}
	return p.Err
}

func difference(e eval.Estimate) string {
	return fmt.Sprintf("%+.3f [%+.3f, %+.3f]", e.Value, e.Low, e.High)
}
