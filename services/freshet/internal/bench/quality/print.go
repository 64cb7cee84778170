package quality

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// Mean returns the mean NDCG@10 over files and over chunks of the answers of
// an arm that keep accepts, and how many these are.
func Mean(answers []Answer, arm string, keep func(Answer) bool) (files, chunks float64, n int) {
	for _, a := range answers {
		if a.Arm == arm && keep(a) {
			files += a.OverFiles
			chunks += a.OverChunks
			n++
		}
	}
	if n > 0 {
		files, chunks = files/float64(n), chunks/float64(n)
	}
	return files, chunks, n
}

func all(Answer) bool { return true }

// Print writes the scores as plain tables: NDCG@10 over files, and over
// chunks in brackets.
func Print(w io.Writer, answers []Answer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(format string, args ...any) { _, _ = fmt.Fprintf(t, format, args...) }
	row("NDCG@10 over files (over chunks)\ttasks")
	for _, arm := range Arms {
		row("\t%s", arm.Name)
	}
	row("\n")
	line := func(name string, keep func(Answer) bool) {
		_, _, n := Mean(answers, Arms[0].Name, keep)
		row("%s\t%d", name, n)
		for _, arm := range Arms {
			files, chunks, _ := Mean(answers, arm.Name, keep)
			row("\t%.3f (%.3f)", files, chunks)
		}
		row("\n")
	}
	line("all tasks", all)
	for _, name := range distinct(answers, func(a Answer) string { return a.Category }) {
		line("  "+name, func(a Answer) bool { return a.Category == name })
	}
	for _, name := range distinct(answers, func(a Answer) string { return a.Repo }) {
		line("  "+name, func(a Answer) bool { return a.Repo == name })
	}
	return t.Flush()
}

func distinct(answers []Answer, key func(Answer) string) []string {
	var out []string
	for _, a := range answers {
		out = append(out, key(a))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
