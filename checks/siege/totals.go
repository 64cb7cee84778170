package siege

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Totals are sums over rounds of one mode.
type Totals struct {
	Mode        string
	Rounds      int
	Broken      int // rounds with a violation, or without an end
	First, Last uint64
	Time        time.Duration
	Answers     int
	WithToken   int
	Writes      int
	Violations  map[string]int
	Blows       map[string]int
}

// Sum adds up the rounds whose seeds lie in a range, by mode; an upper end of
// 0 is none. The last one, without a mode, is of all of them.
func Sum(rounds []Entry, from, to uint64) []Totals {
	byMode := map[string]*Totals{}
	all := &Totals{Violations: map[string]int{}, Blows: map[string]int{}}
	for _, e := range rounds {
		if e.Seed < from || to > 0 && e.Seed > to {
			continue
		}
		if byMode[e.Mode] == nil {
			byMode[e.Mode] = &Totals{Mode: e.Mode, Violations: map[string]int{}, Blows: map[string]int{}}
		}
		byMode[e.Mode].add(e)
		all.add(e)
	}
	var out []Totals
	for _, mode := range slices.Sorted(maps.Keys(byMode)) {
		out = append(out, *byMode[mode])
	}
	return append(out, *all)
}

func (t *Totals) add(e Entry) {
	if t.Rounds == 0 || e.Seed < t.First {
		t.First = e.Seed
	}
	t.Last = max(t.Last, e.Seed)
	t.Rounds++
	if e.Broken() > 0 {
		t.Broken++
	}
	t.Time += time.Duration(e.Seconds * float64(time.Second))
	t.Answers += e.Answers
	t.WithToken += e.WithToken
	t.Writes += e.Writes
	for kind, n := range e.Violations {
		t.Violations[kind] += n
	}
	for kind, n := range e.Blows {
		t.Blows[kind] += n
	}
}

// Print writes totals as a table.
func Print(w io.Writer, totals []Totals) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "mode\tseeds\trounds\ttime\tanswers checked\twith token\tper minute\twrites\tviolations")
	for _, s := range totals {
		mode := s.Mode
		if mode == "" {
			mode = "all"
		}
		perMinute := 0.0
		if s.Time > 0 {
			perMinute = float64(s.Answers) / s.Time.Minutes()
		}
		fmt.Fprintf(t, "%s\t%d-%d\t%d\t%s\t%d\t%d\t%.0f\t%d\t%s\n", mode, s.First, s.Last, s.Rounds, s.Time.Round(time.Second),
			s.Answers, s.WithToken, perMinute, s.Writes, counts(s.Violations, "none"))
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("write the totals: %w", err)
	}
	last := totals[len(totals)-1]
	_, err := fmt.Fprintf(w, "blows: %s\nrounds with a violation or without an end: %d\n", counts(last.Blows, "none"), last.Broken)
	if err != nil {
		return fmt.Errorf("write the totals: %w", err)
	}
	return nil
}

// counts lists numbers by name.
func counts(m map[string]int, none string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if m[name] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, m[name]))
		}
	}
	if len(parts) == 0 {
		return none
	}
	return strings.Join(parts, ", ")
}
