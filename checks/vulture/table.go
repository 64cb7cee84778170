package vulture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// promised are the kinds that a table always names.
var promised = []Kind{Stale, Ghost, Missing, Duplicate}

// String returns a table.
func (r Report) String() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, format string, args ...any) {
		_, _ = fmt.Fprintf(t, "%s\t"+format+"\n", append([]any{name}, args...)...)
	}
	row("seed", "%d", r.Seed)
	if len(r.Settings) > 0 {
		row("settings", "%s", r.Settings)
	}
	row("time", "%s", r.Duration.Round(time.Millisecond))
	row("writes", "%s", tally(r.Writes))
	row("announced", "%d", r.Announced)
	row("questions", "%s", tally(r.Questions))
	row("checked answers", "%d", r.Checked)
	row("hits judged", "%d, %d against the very version in the log", r.Hits, r.Exact)
	row("lines judged", "of %d documents, %d against the very version in the log; %d more had to be there, of which %d were told as not searched",
		r.Lined, r.LinedExact, r.LinedCertain, r.Unsearched)
	row("documents read", "%d, %d outlines with %d definitions (%d not cut yet), %d folders, %d packed passages, %d answers of what is related with %d passages, in which %d relations had to be; %d of these against the very version in the log; %d told as gone",
		r.Read, r.Outlined, r.Defined, r.Uncut, r.Folders, r.Packed, r.Related, r.Relatives, r.CertainRelatives, r.ShownExact, r.SaidGone)
	row("leases", "%d passages given, told of them %s, %d of it against the very version; %d told as not looked at", r.Leased, tally(r.Told), r.ToldExact, r.LeaseUnchecked)
	row("kept questions", "told %d times; %d of them had to be", r.KeptTold, r.KeptCertain)
	row("with token", "%d, %d of a token younger than %s, %d of a word that must be there", r.WithToken, r.Young, youngAge, r.Certain)
	row("fresh within "+freshWithin.String(), "%d of %d (%.3f %%)", r.Fresh, r.WithToken, 100*r.FreshShare())
	row("wait with token", "%s", r.Wait)
	row("write to log", "%s (not announced)", r.Noticed)
	if r.Overlooked > 0 {
		row("overlooked", "%d files whose last write only a comparison found", r.Overlooked)
	}
	row("failed requests", "%d", r.Errors)
	if len(r.Degraded) > 0 {
		row("degraded", "%s", tally(r.Degraded))
	}
	if r.Rested {
		row("at rest", "%d files, %d words looked for", r.Files, r.Words)
		row("stores", "%d passages compared with the log, %d removed, %d restored, %d removed before as a query had met them",
			r.Swept.Compared, r.Swept.Removed, r.Swept.Restored, r.Repaired)
	} else {
		row("at rest", "not looked at")
	}
	row("violations", "%d", r.Broken())
	for _, k := range r.kinds() {
		row("  "+string(k), "%d", r.Counts[k])
	}
	_ = t.Flush() // a strings.Builder does not fail
	return b.String()
}

// kinds are those that the table names: the promised ones first.
func (r Report) kinds() []Kind {
	out := slices.Clone(promised)
	for _, k := range slices.Sorted(maps.Keys(r.Counts)) {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// Line tells in a few words how it goes.
func (r Report) Line() string {
	writes := 0
	for _, n := range r.Writes {
		writes += n
	}
	return fmt.Sprintf("%s  %d writes  %d answers checked, %d with a token younger than %s  wait %s  fresh %.2f %%  violations %d",
		r.Duration.Round(time.Second), writes, r.Checked, r.Young, youngAge, r.Wait.P50.Round(time.Millisecond/10), 100*r.FreshShare(), r.Broken())
}

// tally returns the sum and its parts.
func tally(counts map[string]int) string {
	sum := 0
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		sum += counts[k]
		parts = append(parts, fmt.Sprintf("%s %d", k, counts[k]))
	}
	if sum == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", sum, strings.Join(parts, ", "))
}
