package render

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Verifying says how far a comparison is.
func Verifying(p contract.VerifyProgress) string {
	line := "comparing " + terminal.Printable(p.Doing)
	switch {
	case p.Total > 0:
		line += fmt.Sprintf("  %s of %s", terminal.Count(p.Done), terminal.Count(max(p.Done, p.Total)))
	case p.Done > 0:
		line += "  " + terminal.Count(p.Done)
	}
	return line
}

// shownIDs is how many ids of a difference are listed.
const shownIDs = 3

// Difference writes one difference, and the first of its ids.
func Difference(w io.Writer, s terminal.Style, d contract.Difference) error {
	p := &terminal.Printer{W: w}
	name := terminal.Printable(string(d.Source) + ":" + string(d.Path))
	if d.Path == "" {
		name = string(d.Source) + ":(" + string(d.Doc) + ")"
	}
	fate := s.Bad(string(d.What))
	if d.Repaired {
		fate = s.Good("repaired, was " + string(d.What))
	}
	p.Linef("%s  %s  %s: %s", s.Bold(placeOf(d)), s.Path(name), fate, terminal.Printable(d.Detail))
	for i, id := range d.IDs {
		if i == shownIDs {
			p.Linef("    %s", s.Faint(fmt.Sprintf("and %d more", len(d.IDs)-i)))
			break
		}
		p.Linef("    %s", s.Faint(id.String()))
	}
	return p.Err
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

// Verified writes how a comparison ended, with its counts, and what was not
// compared.
func Verified(w io.Writer, s terminal.Style, v contract.VerifySummary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	p := &terminal.Printer{W: t}
	for _, src := range v.Sources {
		held := fmt.Sprintf("source: %s, %s skipped", terminal.Documents(src.Documents), terminal.Count(src.Skipped))
		if src.NotCompared != "" {
			held = "source: not compared"
		}
		p.Linef("%s\t%s\tlog: %s, %s skipped", src.Source, held, terminal.Documents(src.LogDocuments), terminal.Count(src.LogSkipped))
	}
	if p.Err == nil {
		p.Err = t.Flush()
	}
	for _, g := range v.Generations {
		p.Linef("%s\tdocuments %s\tchunks %s\tvectors %s\twithout vector %s", g.Generation, terminal.Count(g.Documents), terminal.Count(g.Chunks), terminal.Count(g.Vectors), terminal.Count(g.Bare))
		for _, sink := range document.Sinks {
			p.Linef("  %s\tlisted %s\theld %s\t", sink, terminal.Count(g.Listed[sink]), terminal.Count(g.Held[sink]))
		}
	}
	if p.Err == nil {
		p.Err = t.Flush()
	}
	p.W = w
	gaps(p, s, v)
	for _, l := range v.Losses {
		p.Linef("%s  %s", s.Bad("lost"), LossName(l))
	}
	p.Linef("%s", outcome(s, v))
	return p.Err
}

// gaps writes what was not compared, why, and what to do.
func gaps(p *terminal.Printer, s terminal.Style, v contract.VerifySummary) {
	for _, src := range v.Sources {
		missed := s.Bad
		if src.Gap == contract.GapGiven {
			missed = s.Faint // nothing is lacking
		}
		if src.NotCompared != "" {
			p.Linef("%s: %s", missed(string(src.Source)+" is not compared"), terminal.Printable(src.NotCompared))
		}
		if next := Sentence(src.Next, src.Actions); next != "" {
			p.Linef("    %s", terminal.Printable(next))
		}
		if src.Unread != nil {
			for _, line := range Unread(*src.Unread) {
				p.Linef("%s%s", s.Bad("not compared: "), line)
			}
			p.Linef("    %s", "make it readable, or leave it out in .freshetignore; `freshet explain` says more about each")
		}
	}
	for _, g := range v.Generations {
		if g.NotCompared != "" {
			p.Linef("%s: %s", s.Bad(string(g.Generation)+" is not compared as a whole"), terminal.Printable(g.NotCompared))
		}
	}
	if v.NotCompared != "" {
		p.Linef("%s%s", s.Bad("not everything is compared: "), terminal.Printable(v.NotCompared))
	}
}

// Unread names documents that cannot be read, a line for each.
func Unread(u contract.Unread) []string {
	var out []string
	for _, d := range u.First {
		out = append(out, terminal.Printable(string(d.Source)+":"+string(d.Path)+" ("+d.Reason+")"))
	}
	if more := u.Count - len(u.First); more > 0 {
		out = append(out, "and "+terminal.Plural(more, "document", "documents")+" more that cannot be read")
	}
	return out
}

func outcome(s terminal.Style, v contract.VerifySummary) string {
	line := s.Good("equal")
	switch left := v.Differences - v.Repaired; {
	case left > 0:
		line = s.Bad(terminal.Plural(left, "difference", "differences"))
	case len(v.Losses) > 0:
		line = s.Bad(terminal.Plural(len(v.Losses), "loss", "losses")) + " that nobody has accepted"
	case !v.Equal:
		line = s.Bad("incomplete") + ", no difference in what was compared"
	case v.Differences > 0:
		line = s.Good("equal") + " after repairing " + terminal.Plural(v.Differences, "difference", "differences")
	}
	if v.Pending > 0 {
		line += ", " + terminal.Documents(v.Pending) + " on the way"
	}
	if v.Failed > 0 {
		line += ", " + terminal.Count(v.Failed) + " failed"
	}
	return fmt.Sprintf("%s  in %s", line, time.Duration(v.TookMS)*time.Millisecond)
}
