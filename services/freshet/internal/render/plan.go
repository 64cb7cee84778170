package render

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/freshet-dev/freshet/services/freshet/internal/forecast"
)

// reasonsListed is how many reasons a person is shown of a list.
const reasonsListed = 10

// Plan writes what indexing will come to.
func Plan(w io.Writer, s Style, r forecast.Report) error {
	p := &printer{w: w}
	where := r.Kind
	if r.Branch != "" {
		where += " (" + printable(r.Branch) + ")"
	}
	p.linef("%s  %s", s.bold(printable(r.Root)), where)
	p.linef("")
	p.columns(true, func(t *printer) {
		t.linef("collection\tdocuments\ttext\tpassages\ttokens\tcost\ttime\t")
		for _, c := range r.Collections {
			t.collection(string(c.Collection), c)
		}
		if len(r.Collections) != 1 {
			t.collection("together", r.Total)
		}
	})
	p.linef("")
	p.linef("%s", howCounted(r))
	p.linef("cost: %s (%s)", r.Total.CostNote, r.Total.Embedder)
	p.linef("disk: log %s, stores %s, %s", bytes(r.Disk.Log), bytes(r.Disk.Stores), r.Disk.Note)
	if len(r.Folders) > 0 {
		p.linef("")
		p.linef("%s", s.bold("largest folders"))
		p.columns(false, func(t *printer) {
			for _, f := range r.Folders {
				t.linef("  %3.0f %%\t%s\t%s\t%s", 100*f.Share, bytes(f.Bytes), Documents(f.Documents), printable(string(f.Path))+"/")
			}
		})
	}
	p.left(s, "skipped: known, with the reason, and not indexed", r.Skipped)
	p.left(s, "ignored by a rule", r.Ignored)
	if len(r.Advice) > 0 {
		p.linef("")
	}
	for _, sentence := range r.Advice {
		p.linef("%s", printable(sentence))
	}
	return p.err
}

func (p *printer) collection(name string, c forecast.Collection) {
	p.linef("%s\t%s\t%s\t%s\t%s\t%.2f\t%s\t", name, count(c.Documents), bytes(c.Bytes), estimated(c.Passages), estimated(c.Tokens), c.Cost, about(c.Seconds))
}

func howCounted(r forecast.Report) string {
	if r.Sample.Exact {
		return "Everything was cut and counted. The time is an estimate: cutting and embedding took " +
			seconds(r.Sample.Cutting+r.Sample.Embedding) + " here."
	}
	return fmt.Sprintf("Passages and tokens are extrapolated from %s of %s (%s), with the margins of 95 %% certainty; --exact counts them. The time is an estimate: cutting and embedding those took %s here.",
		count(r.Sample.Documents), Documents(r.Total.Documents), bytes(r.Sample.Bytes), seconds(r.Sample.Cutting+r.Sample.Embedding))
}

// estimated writes a number with its margin in percent.
func estimated(e forecast.Estimate) string {
	if e.Margin == 0 {
		return count(e.Value)
	}
	return fmt.Sprintf("%s ± %.1f %%", count(e.Value), 100*float64(e.Margin)/float64(max(e.Value, 1)))
}

// about writes a time that is not known to the second.
func about(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d < time.Second:
		return "under 1 s"
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", s)
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

func seconds(s float64) string { return fmt.Sprintf("%.1f s", s) }

// left lists what is left out.
func (p *printer) left(s Style, title string, list []forecast.Left) {
	if len(list) == 0 {
		return
	}
	p.linef("")
	p.linef("%s", s.bold(title))
	p.columns(false, func(t *printer) {
		for i, l := range list {
			if i == reasonsListed {
				t.linef("  and %d more reasons, see --json", len(list)-reasonsListed)
				break
			}
			var names []string
			for _, o := range l.Largest {
				name := string(o.Path)
				if o.Folder {
					name += "/"
				}
				names = append(names, printable(name)+" ("+bytes(o.Bytes)+")")
			}
			t.linef("  %s\t%s\t%s\t%s", plural(l.Files, "file", "files"), bytes(l.Bytes), printable(l.Reason), s.faint(strings.Join(names, ", ")))
		}
	})
}

// columns aligns what write writes, to the right where numbers stand.
func (p *printer) columns(right bool, write func(*printer)) {
	if p.err != nil {
		return
	}
	flags := uint(0)
	if right {
		flags = tabwriter.AlignRight
	}
	t := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', flags)
	inner := &printer{w: t}
	write(inner)
	if p.err = inner.err; p.err == nil {
		p.err = t.Flush()
	}
}
