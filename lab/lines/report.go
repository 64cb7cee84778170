package lines

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// Print writes what came as tables, and then the patterns for which the answers
// differ, which it counts.
func Print(w io.Writer, with, without Run) (differ int, err error) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "kind\tasked\tequal\tlines\tread\tp50\tp99\tcpu\trg p50\trg p99\tscan p50\tscan p99\tscan cpu")
	names := []string{}
	for _, k := range kinds {
		names = append(names, k.name)
	}
	for _, name := range append(names, "") {
		of := func(a Answer) bool { return name == "" || a.Kind == name }
		row := summarize(with.Answers, of)
		scan := summarize(without.Answers, of)
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", map[bool]string{true: "all", false: name}[name == ""],
			row.asked, row.equal, row.lines, row.read, row.p50, row.p99, each(with, name), row.rgP50, row.rgP99, scan.p50, scan.p99, each(without, name))
	}
	if err := t.Flush(); err != nil {
		return 0, err
	}
	known := with.Trigrams
	fmt.Fprintf(w, "\ntrigrams of %d texts in %.1f MB of memory (%.3f of %.1f MB of text), known %.1f s after ready, none on the disk (state: %.1f MB)\n",
		known.Known, mega(known.Bytes), float64(known.Bytes)/float64(max(with.Bytes, 1)), mega(with.Bytes), with.Learning.Seconds(), mega(with.Disk))
	for _, a := range with.Answers {
		if a.Differs != "" {
			differ++
			fmt.Fprintf(w, "%s %q (fixed %t): %s\n", a.Kind, a.Text, a.Fixed, a.Differs)
		}
	}
	return differ, nil
}

type summary struct {
	asked, equal, lines, read int
	p50, p99, rgP50, rgP99    string
}

func summarize(answers []Answer, of func(Answer) bool) (s summary) {
	var ours, theirs []time.Duration
	for _, a := range answers {
		if !of(a) {
			continue
		}
		s.asked++
		s.lines += a.Lines
		s.read += a.Read
		if a.Differs == "" && a.Ripgrep > 0 {
			s.equal++
		}
		ours = append(ours, a.Took)
		if a.Ripgrep > 0 {
			theirs = append(theirs, a.Ripgrep)
		}
	}
	s.read /= max(s.asked, 1)
	s.p50, s.p99 = quantile(ours, 50), quantile(ours, 99)
	s.rgP50, s.rgP99 = quantile(theirs, 50), quantile(theirs, 99)
	return s
}

// quantile is "-" of nothing.
func quantile(all []time.Duration, percent int) string {
	if len(all) == 0 {
		return "-"
	}
	slices.Sort(all)
	return fmt.Sprintf("%.1f ms", float64(all[(len(all)-1)*percent/100].Microseconds())/1000)
}

// each is the processor time of the instance for a question of a kind, or of all.
func each(r Run, kind string) string {
	var sum time.Duration
	n := 0
	for name, took := range r.CPU {
		if name == kind || kind == "" {
			sum += took
		}
	}
	for _, a := range r.Answers {
		if a.Kind == kind || kind == "" {
			n++
		}
	}
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f ms", float64(sum.Microseconds())/1000/float64(n))
}

func mega(n int64) float64 { return float64(n) / 1e6 }
