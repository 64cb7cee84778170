package exact

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Print writes the shares of each kind as a table, and then up to misses of the
// questions whose right passage did not come first.
func Print(w io.Writer, kinds []Kind, misses int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "kind\tasked\tfirst\tin three\tin ten\ttitled\tshown\tripgrep")
	for _, k := range kinds {
		share := func(holds func(*Answer) bool) string {
			n := 0
			for i := range k.Answers {
				if holds(&k.Answers[i]) {
					n++
				}
			}
			return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(len(k.Answers), 1)))
		}
		beside := "-"
		if k.Grepped {
			beside = share(func(a *Answer) bool { return a.Grepped })
		}
		within := func(n int) string { return share(func(a *Answer) bool { return a.Rank > 0 && a.Rank <= n }) }
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", k.Name, len(k.Answers), within(1), within(3), within(10),
			share(func(a *Answer) bool { return a.Symbol }), share(func(a *Answer) bool { return a.Shown }), beside)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, k := range kinds {
		printMisses(w, &k, misses)
	}
	return nil
}

func printMisses(w io.Writer, k *Kind, most int) {
	for i := range k.Answers {
		a := &k.Answers[i]
		if a.Rank == 1 {
			continue
		}
		if most--; most < 0 {
			return
		}
		place := "not in ten"
		if a.Rank > 0 {
			place = fmt.Sprintf("hit %d", a.Rank)
		}
		s := a.Question.Right[0]
		fmt.Fprintf(w, "%s: %q is %s, %s:%d; first: %s%s\n", k.Name, a.Question.Text, place, s.Path, s.Line, a.First, degraded(a))
	}
}

func degraded(a *Answer) string {
	if len(a.Degraded) == 0 {
		return ""
	}
	return "; degraded: " + strings.Join(a.Degraded, "; ")
}
