package report

import (
	"fmt"
	"io"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// arms writes every figure of the arms beside those of the whole, and below it
// NDCG@10 by category and group.
func arms(p *terminal.Printer, s terminal.Style, r *eval.Report) {
	p.Linef("%s", s.Bold("the whole beside less, with the p of each difference"))
	p.Columns(false, func(t *terminal.Printer) {
		names := ""
		for _, a := range r.Arms {
			names += "\t" + terminal.Printable(a.Name)
		}
		t.Linef("  \tthe whole%s", names)
		for m, name := range eval.MeasureNames {
			row := fmt.Sprintf("  %s\t%.3f", name, r.Rows[0].Figure(eval.Measure(m)).Value)
			for _, a := range r.Arms {
				row += fmt.Sprintf("\t%.3f  p %.4f", a.Rows[0].Figure(eval.Measure(m)).Value, a.Paired[name].P)
			}
			t.Linef("%s", row)
		}
		t.Linef("NDCG@10 over files (over chunks)")
		for i := range r.Rows {
			row := &r.Rows[i]
			if row.By != "category" && row.By != "group" {
				continue
			}
			line := "  " + terminal.Printable(row.Name) + "\t" + bothWays(row)
			for _, a := range r.Arms {
				line += "\t" + bothWays(&a.Rows[i]) // of the same tasks, so in the same place
			}
			t.Linef("%s", line)
		}
	})
}

func bothWays(r *eval.Row) string {
	return fmt.Sprintf("%.3f (%.3f)", r.Figure(eval.NDCGFiles).Value, r.Figure(eval.NDCGChunks).Value)
}

// Ablation writes what is left of the whole with less, one line each.
func Ablation(w io.Writer, s terminal.Style, r *eval.Report, list []eval.ArmReport) error {
	p := &terminal.Printer{W: w}
	p.Linef("%s", s.Bold("the whole with less, NDCG@10 over chunks and files"))
	name := eval.MeasureNames[eval.NDCGChunks]
	p.Columns(false, func(t *terminal.Printer) {
		t.Linef("  \tchunks\tfiles\tdifference\t95 %% interval\tp")
		t.Linef("  the whole\t%.3f\t%.3f", r.Rows[0].Figure(eval.NDCGChunks).Value, r.Rows[0].Figure(eval.NDCGFiles).Value)
		for _, a := range list {
			paired := a.Paired[name]
			d := paired.Difference
			t.Linef("  %s\t%.3f\t%.3f\t%+.3f\t%+.3f to %+.3f\t%.4f", terminal.Printable(a.Name), a.Rows[0].Figure(eval.NDCGChunks).Value,
				a.Rows[0].Figure(eval.NDCGFiles).Value, -d.Value, -d.High, -d.Low, paired.P)
		}
	})
	return p.Err
}
