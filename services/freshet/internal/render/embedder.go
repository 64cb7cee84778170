package render

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/freshet-dev/freshet/services/freshet/internal/adapt"
	"github.com/freshet-dev/freshet/services/freshet/internal/eval"
)

// TrainedEmbedder writes what a training came to, and what to do with it.
func TrainedEmbedder(w io.Writer, s Style, r *adapt.Report) error {
	p := &printer{w: w}
	p.linef("%s: learnt from %s, stopped by %s, judged by %s of files that were held back",
		plural(r.Pairs, "pair", "pairs"), count(r.Fit), count(r.Dev), count(r.Held))
	if r.Left > 0 {
		p.linef("%s left out: no passage of the corpus answers them", plural(r.Left, "question", "questions"))
	}
	p.linef("%s in %.0f s, the best is number %d", plural(len(r.Loss), "epoch", "epochs"), r.Seconds, r.Best)
	p.linef("")
	p.linef("what vectors alone find of the held-back questions, among %s:", plural(r.Comparison.Passages, "passage", "passages"))
	p.columns(false, func(t *printer) {
		t.linef("  \tin use\ttrained\tdifference\tp\tbetter\tworse")
		for _, name := range slices.Sorted(maps.Keys(r.Comparison.Paired)) {
			d := r.Comparison.Paired[name]
			t.linef("  %s\t%.3f\t%.3f\t%s\t%.4f\t%s\t%s", name, r.Comparison.Before[name].Value, r.Comparison.After[name].Value, difference(d.Difference), d.P, count(d.Wins), count(d.Losses))
		}
	})
	p.linef("")
	switch {
	case !r.Won:
		p.linef("%s that is no more than chance, so nothing is written: keep %s, or name more files.", s.bold("Not better:"), r.InUse)
	case r.Out == "":
		p.linef("%s name a folder with --out to keep it.", s.good("Better:"))
	default:
		p.linef("%s %s is in %s.", s.good("Better:"), r.Trained, printable(r.Out))
		p.linef("To use it, set embedder.model: %s in the configuration and start freshet again; it then indexes everything anew.", printable(r.Out))
	}
	return p.err
}

func difference(e eval.Estimate) string {
	return fmt.Sprintf("%+.3f [%+.3f, %+.3f]", e.Value, e.Low, e.High)
}
