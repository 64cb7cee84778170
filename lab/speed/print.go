package speed

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Print writes the report as plain tables. Aims are those of the project on
// two cores.
func (r Report) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	p := printer{t}
	p.row("freshet on %s", r.Dir)
	p.row("%s/%s, %d cores; load average at the start of each part:", r.OS, r.Arch, r.Cores)
	for _, l := range r.Loads {
		p.row("  %s\t%.2f", l.Part, l.Load)
	}
	p.indexing(r.Indexing)
	p.row("\nRESTART without changes\tmeasured\taim")
	p.row("  ready\t%.2f s\t3 s", r.Restart.Seconds)
	p.row("  chunked, embedded\t%d, %d\t0, 0", r.Restart.Chunked, r.Restart.Embedded)
	p.row("  stop (interrupt to end)\t%.0f ms\t5,000 ms", r.Stop)

	p.row("\nQUERY over NATS, ms\tn\tp50\tp99\tmax\taim p50 / p99")
	p.spread("idle", r.Idle.Plain, "5 / 25")
	p.spread("idle, "+r.Idle.Filter, r.Idle.Filtered, "5 / 25")
	p.spread("while indexing", r.Busy.Plain, "10 / 60")
	p.spread("while indexing, "+r.Busy.Filter, r.Busy.Filtered, "10 / 60")
	p.stages("idle", r.Idle)
	p.stages("while indexing", r.Busy)
	p.row("  %d different queries; without hits: %d idle, %d while indexing", r.Idle.Distinct, r.Idle.Empty, r.Busy.Empty)

	p.row("\nEDIT to INDEXED of both sinks, ms\tn\tp50\tp99\tmax\taim p50 / p99")
	p.spread("idle", r.Edits.Idle, "150 / 450")
	p.spread("during a bulk load", r.Edits.Busy, "150 / 450")
	p.row("  from the return of write(); %s files; the debounce of %.0f ms is included", count(r.Edits.Files), r.Edits.Debounce)

	p.row("\nPUSH of %d files to a bare repository of %d\tmeasured\taim", r.Push.Files, r.Push.Repository)
	p.row("  git push, hook included\t%.0f ms", r.Push.Pushed)
	p.row("  from its return until all is searchable\t%.0f ms\t2,000 ms", r.Push.Searchable)
	p.row("  changed files whose new text is found\t%d of %d", r.Push.Found, r.Push.Files)
	return t.Flush()
}

type printer struct{ w io.Writer }

// row writes to a tabwriter, which reports errors at its Flush.
func (p printer) row(format string, args ...any) { _, _ = fmt.Fprintf(p.w, format+"\n", args...) }

func (p printer) spread(name string, s Spread, aim string) {
	late := ""
	if s.Late > 0 {
		late = fmt.Sprintf("  %d not within %s", s.Late, editLimit)
	}
	p.row("  %s\t%d\t%.1f\t%.1f\t%.1f\t%s%s", name, s.N, s.P50, s.P99, s.Max, aim, late)
}

// stages writes where the time of a query went, the longest first.
func (p printer) stages(name string, q Queries) {
	var parts []string
	for _, stage := range slices.SortedFunc(maps.Keys(q.Stages), func(a, b string) int {
		return cmp.Or(cmp.Compare(q.Stages[b], q.Stages[a]), cmp.Compare(a, b))
	}) {
		parts = append(parts, fmt.Sprintf("%s %.2f", stage, q.Stages[stage]))
	}
	p.row("  mean of each stage, %s: %s; pending documents: %.0f", name, strings.Join(parts, ", "), q.Pending)
}

func (p printer) indexing(x Indexing) {
	mb := float64(x.TextBytes) / 1e6
	p.row("\nINDEX from up to ready\tmeasured\taim")
	p.row("  documents, chunks\t%s, %s", count(x.Documents), count(x.Chunks))
	p.row("  text\t%.1f MB", mb)
	p.row("  time\t%.2f s", x.Seconds)
	p.row("  speed\t%.2f MB/s, %.0f chunks/s\t4,000 chunks/s", mb/x.Seconds, float64(x.Chunks)/x.Seconds)
	p.row("  reference: read and hash the same files\t%.2f s, %.0f MB/s (time is %.1f times that)", x.Reference, mb/x.Reference, x.Seconds/x.Reference)

	p.row("\n  time by stage\tfirst head\tlast head\theads")
	for _, s := range x.Stages {
		p.row("    %s\t%.2f s\t%.2f s\t%s", s.Stage, s.First, s.Last, count(s.Heads))
	}
	p.row("\n  processes\tprocessor\tpeak memory\theap and stacks\tprogram and mapped files")
	cpu := 0.0
	for _, u := range x.Processes {
		p.row("    %s\t%.2f s\t%.0f MB\t%.0f MB\t%.0f MB", u.Name, u.CPU, float64(u.Peak)/1e6, float64(u.Anonymous)/1e6, float64(u.File)/1e6)
		cpu += u.CPU
	}
	p.row("    all\t%.2f s\t%.0f MB\taim 600 MB; %.0f MB at the same moment", cpu, float64(x.Peak)/1e6, float64(x.Together)/1e6)
	p.row("\n  state on disk\t%.1f MB\t%.2f times the text\t2 times\tof it live", float64(x.DiskTotal)/1e6, ratio(x.DiskTotal, x.TextBytes))
	for _, part := range x.Disk {
		live := ""
		if part.Live > 0 {
			live = fmt.Sprintf("%.1f MB", float64(part.Live)/1e6)
		}
		p.row("    %s\t%.1f MB\t%.2f times\t\t%s", part.Name, float64(part.Bytes)/1e6, ratio(part.Bytes, x.TextBytes), live)
	}
	p.row("\n  counters")
	for _, service := range slices.Sorted(maps.Keys(x.Counters)) {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(x.Counters[service])) {
			parts = append(parts, fmt.Sprintf("%s %s", name, count(int(x.Counters[service][name]))))
		}
		p.row("    %s: %s", service, strings.Join(parts, ", "))
	}
}

func ratio(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// count writes a number with separators between thousands.
func count(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
