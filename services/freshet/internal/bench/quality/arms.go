package quality

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/freshet-dev/freshet/services/freshet/internal/eval"
)

// PrintArms writes NDCG@10 over files, and over chunks in brackets, of every arm
// by category and repository.
func (r *Result) PrintArms(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprint(t, "NDCG@10 over files (over chunks)\ttasks")
	for i := range r.Reports {
		_, _ = fmt.Fprintf(t, "\t%s", r.Reports[i].Set)
	}
	_, _ = fmt.Fprintln(t)
	for n, row := range r.Reports[0].Rows {
		if row.By != "all" && row.By != "category" && row.By != "group" {
			continue
		}
		name := "  " + row.Name
		if row.By == "all" {
			name = "all tasks"
		}
		_, _ = fmt.Fprintf(t, "%s\t%d", name, row.Tasks)
		for i := range r.Reports {
			row := &r.Reports[i].Rows[n] // of the same tasks, so in the same place
			_, _ = fmt.Fprintf(t, "\t%.3f (%.3f)", row.Figure(eval.NDCGFiles).Value, row.Figure(eval.NDCGChunks).Value)
		}
		_, _ = fmt.Fprintln(t)
	}
	return t.Flush()
}

// Check returns an error when the whole scores below floor (NDCG@10 over
// files), or not above both channels alone.
func (r *Result) Check(floor float64) error {
	figure := func(i int) float64 { return r.Reports[i].Rows[0].Figure(eval.NDCGFiles).Value }
	whole := figure(0)
	if whole < floor {
		return fmt.Errorf("%s has NDCG@10 %.3f over files, below the floor of %.3f", r.Reports[0].Set, whole, floor)
	}
	for i := range r.Reports[1:] {
		if alone := figure(i + 1); whole <= alone {
			return fmt.Errorf("%s has NDCG@10 %.3f over files, no more than %s with %.3f", r.Reports[0].Set, whole, r.Reports[i+1].Set, alone)
		}
	}
	return nil
}
