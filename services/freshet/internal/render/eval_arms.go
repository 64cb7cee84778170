package render

import (
	"fmt"
	"io"

	"github.com/freshet-dev/freshet/services/freshet/internal/eval"
)

// arms writes every figure of the arms beside those of the whole, and below it
// NDCG@10 by category and group.
func (p *printer) arms(s Style, r *eval.Report) {
	p.linef("%s", s.bold("the whole beside less, with the p of each difference"))
	p.columns(false, func(t *printer) {
		names := ""
		for _, a := range r.Arms {
			names += "\t" + printable(a.Name)
		}
		t.linef("  \tthe whole%s", names)
		for m, name := range eval.MeasureNames {
			row := fmt.Sprintf("  %s\t%.3f", name, r.Rows[0].Figure(eval.Measure(m)).Value)
			for _, a := range r.Arms {
				row += fmt.Sprintf("\t%.3f  p %.4f", a.Rows[0].Figure(eval.Measure(m)).Value, a.Paired[name].P)
			}
			t.linef("%s", row)
		}
		t.linef("NDCG@10 over files (over chunks)")
		for i := range r.Rows {
			row := &r.Rows[i]
			if row.By != "category" && row.By != "group" {
				continue
			}
			line := "  " + printable(row.Name) + "\t" + bothWays(row)
			for _, a := range r.Arms {
				line += "\t" + bothWays(&a.Rows[i]) // of the same tasks, so in the same place
			}
			t.linef("%s", line)
		}
	})
}

func bothWays(r *eval.Row) string {
	return fmt.Sprintf("%.3f (%.3f)", r.Figure(eval.NDCGFiles).Value, r.Figure(eval.NDCGChunks).Value)
}

// Ablation writes what is left of the whole with less, one line each.
func Ablation(w io.Writer, s Style, r *eval.Report, list []eval.ArmReport) error {
	p := &printer{w: w}
	p.linef("%s", s.bold("the whole with less, NDCG@10 over chunks and files"))
	name := eval.MeasureNames[eval.NDCGChunks]
	p.columns(false, func(t *printer) {
		t.linef("  \tchunks\tfiles\tdifference\t95 %% interval\tp")
		t.linef("  the whole\t%.3f\t%.3f", r.Rows[0].Figure(eval.NDCGChunks).Value, r.Rows[0].Figure(eval.NDCGFiles).Value)
		for _, a := range list {
			paired := a.Paired[name]
			d := paired.Difference
			t.linef("  %s\t%.3f\t%.3f\t%+.3f\t%+.3f to %+.3f\t%.4f", printable(a.Name), a.Rows[0].Figure(eval.NDCGChunks).Value,
				a.Rows[0].Figure(eval.NDCGFiles).Value, -d.Value, -d.High, -d.Low, paired.P)
		}
	})
	return p.err
}
