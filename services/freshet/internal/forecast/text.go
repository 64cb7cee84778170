package forecast

import (
	"fmt"
	"io"
	"strings"

	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// reasonsListed is how many reasons a person is shown of a list.
const reasonsListed = 10

// Write writes the report for a person.
func (r Report) Write(w io.Writer, s terminal.Style) error {
	p := &terminal.Printer{W: w}
	where := r.Kind
	if r.Branch != "" {
		where += " (" + terminal.Printable(r.Branch) + ")"
	}
	p.Linef("%s  %s", s.Bold(terminal.Printable(r.Root)), where)
	p.Linef("")
	p.Columns(true, func(t *terminal.Printer) {
		t.Linef("collection\tdocuments\ttext\tpassages\ttokens\tcost\ttime\t")
		for _, c := range r.Collections {
			collection(t, string(c.Collection), c)
		}
		if len(r.Collections) != 1 {
			collection(t, "together", r.Total)
		}
	})
	p.Linef("")
	p.Linef("%s", howCounted(r))
	p.Linef("cost: %s (%s)", r.Total.CostNote, r.Total.Embedder)
	p.Linef("disk: log %s, stores %s, %s", terminal.Bytes(r.Disk.Log), terminal.Bytes(r.Disk.Stores), r.Disk.Note)
	if len(r.Folders) > 0 {
		p.Linef("")
		p.Linef("%s", s.Bold("largest folders"))
		p.Columns(false, func(t *terminal.Printer) {
			for _, f := range r.Folders {
				t.Linef("  %3.0f %%\t%s\t%s\t%s", 100*f.Share, terminal.Bytes(f.Bytes), terminal.Documents(f.Documents), terminal.Printable(string(f.Path))+"/")
			}
		})
	}
	left(p, s, "skipped: known, with the reason, and not indexed", r.Skipped)
	left(p, s, "ignored by a rule", r.Ignored)
	advice := append(r.Advice[:len(r.Advice):len(r.Advice)], render.Steps(r.Actions)...)
	if len(advice) > 0 {
		p.Linef("")
	}
	for _, sentence := range advice {
		p.Linef("%s", terminal.Printable(sentence))
	}
	return p.Err
}

func collection(p *terminal.Printer, name string, c Collection) {
	p.Linef("%s\t%s\t%s\t%s\t%s\t%.2f\t%s\t", name, terminal.Count(c.Documents), terminal.Bytes(c.Bytes), estimated(c.Passages), estimated(c.Tokens), c.Cost, terminal.About(c.Seconds))
}

func howCounted(r Report) string {
	if r.Sample.Exact {
		return "Everything was cut and counted. The time is an estimate: cutting and embedding took " +
			seconds(r.Sample.Cutting+r.Sample.Embedding) + " here."
	}
	return fmt.Sprintf("Passages and tokens are extrapolated from %s of %s (%s), with the margins of 95 %% certainty; --exact counts them. The time is an estimate: cutting and embedding those took %s here.",
		terminal.Count(r.Sample.Documents), terminal.Documents(r.Total.Documents), terminal.Bytes(r.Sample.Bytes), seconds(r.Sample.Cutting+r.Sample.Embedding))
}

// estimated writes a number with its margin in percent.
func estimated(e Estimate) string {
	if e.Margin == 0 {
		return terminal.Count(e.Value)
	}
	return fmt.Sprintf("%s ± %.1f %%", terminal.Count(e.Value), 100*float64(e.Margin)/float64(max(e.Value, 1)))
}

func seconds(s float64) string { return fmt.Sprintf("%.1f s", s) }

// left lists what is left out.
func left(p *terminal.Printer, s terminal.Style, title string, list []Left) {
	if len(list) == 0 {
		return
	}
	p.Linef("")
	p.Linef("%s", s.Bold(title))
	p.Columns(false, func(t *terminal.Printer) {
		for i, l := range list {
			if i == reasonsListed {
				t.Linef("  and %d more reasons, see --json", len(list)-reasonsListed)
				break
			}
			var names []string
			for _, o := range l.Largest {
				name := string(o.Path)
				if o.Folder {
					name += "/"
				}
				names = append(names, terminal.Printable(name)+" ("+terminal.Bytes(o.Bytes)+")")
			}
			t.Linef("  %s\t%s\t%s\t%s", terminal.Plural(l.Files, "file", "files"), terminal.Bytes(l.Bytes), terminal.Printable(l.Reason), s.Faint(strings.Join(names, ", ")))
		}
	})
}
