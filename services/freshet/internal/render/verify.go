package render

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Verifying says how far a comparison is.
func Verifying(p contract.VerifyProgress) string {
	line := "comparing " + printable(p.Doing)
	switch {
	case p.Total > 0:
		line += fmt.Sprintf("  %s of %s", count(p.Done), count(max(p.Done, p.Total)))
	case p.Done > 0:
		line += "  " + count(p.Done)
	}
	return line
}

// shownIDs is how many ids of a difference are listed.
const shownIDs = 3

// Difference writes one difference, and the first of its ids.
func Difference(w io.Writer, s Style, d contract.Difference) error {
	p := &printer{w: w}
	name := printable(string(d.Source) + ":" + string(d.Path))
	if d.Path == "" {
		name = string(d.Source) + ":(" + string(d.Doc) + ")"
	}
	fate := s.bad(string(d.What))
	if d.Repaired {
		fate = s.good("repaired, was " + string(d.What))
	}
	p.linef("%s  %s  %s: %s", s.bold(placeOf(d)), s.path(name), fate, printable(d.Detail))
	for i, id := range d.IDs {
		if i == shownIDs {
			p.linef("    %s", s.faint(fmt.Sprintf("and %d more", len(d.IDs)-i)))
			break
		}
		p.linef("    %s", s.faint(id.String()))
	}
	return p.err
}

// placeOf names the place of a difference: "lexical store", "indexed (vector)".
func placeOf(d contract.Difference) string {
	switch {
	case d.Stage == contract.VerifyStore:
		return string(d.Sink) + " " + string(d.Stage)
	case d.Sink != "":
		return string(d.Stage) + " (" + string(d.Sink) + ")"
	}
	return string(d.Stage)
}

// Verified writes how a comparison ended, with its counts.
func Verified(w io.Writer, s Style, v contract.VerifySummary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	p := &printer{w: t}
	for _, src := range v.Sources {
		if src.NotCompared != "" {
			p.linef("%s\tnot compared: %s\tlog: %s, %s skipped", src.Source, printable(src.NotCompared), Documents(src.LogDocuments), count(src.LogSkipped))
			continue
		}
		p.linef("%s\tsource: %s, %s skipped\tlog: %s, %s skipped", src.Source, Documents(src.Documents), count(src.Skipped), Documents(src.LogDocuments), count(src.LogSkipped))
	}
	if p.err == nil {
		p.err = t.Flush()
	}
	for _, g := range v.Generations {
		p.linef("%s\tdocuments %s\tchunks %s\tvectors %s\twithout vector %s", g.Generation, count(g.Documents), count(g.Chunks), count(g.Vectors), count(g.Bare))
		for _, sink := range document.Sinks {
			p.linef("  %s\tlisted %s\theld %s\t", sink, count(g.Listed[sink]), count(g.Held[sink]))
		}
	}
	if p.err == nil {
		p.err = t.Flush()
	}
	p.w = w
	p.linef("%s", outcome(s, v))
	return p.err
}

func outcome(s Style, v contract.VerifySummary) string {
	line := s.good("equal")
	switch left := v.Differences - v.Repaired; {
	case left > 0:
		line = s.bad(plural(left, "difference", "differences"))
	case v.Differences > 0:
		line = s.good("equal") + " after repairing " + plural(v.Differences, "difference", "differences")
	}
	if v.Pending > 0 {
		line += ", " + Documents(v.Pending) + " on the way"
	}
	if v.Failed > 0 {
		line += ", " + count(v.Failed) + " failed"
	}
	return fmt.Sprintf("%s  in %s", line, time.Duration(v.TookMS)*time.Millisecond)
}
