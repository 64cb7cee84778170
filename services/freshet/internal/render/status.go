package render

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Status writes the state of the whole.
func Status(w io.Writer, s Style, st contract.StatusReply) error {
	p := &printer{w: w}
	state := s.good("ready")
	if !st.Ready {
		state = s.bold("indexing")
	}
	p.linef("%s  %s, %s  token %s  version %s", state, plural(st.Documents, "document", "documents"), plural(st.Chunks, "passage", "passages"), orNone(st.Token.String()), st.Version)
	for _, stage := range contract.Stages {
		if n := st.Pending[stage]; n > 0 {
			p.linef("waiting for %s: %s", stage, plural(n, "document", "documents"))
		}
	}
	for _, d := range st.Degraded {
		p.linef("%s%s", s.bad("degraded: "), printable(d))
	}
	for _, line := range some(st.Failed, "failed: ", func(f contract.FailedPath) string {
		return printable(string(f.Source) + ":" + string(f.Path) + " (" + string(f.Stage) + ": " + f.Reason + ")")
	}) {
		p.linef("%s", line)
	}
	if len(st.Failed) > 0 {
		p.linef("%s", afterFailed)
	}
	if len(st.Skipped) > 0 {
		var parts []string
		for _, reason := range slices.Sorted(maps.Keys(st.Skipped)) {
			parts = append(parts, fmt.Sprintf("%s: %s", printable(reason), count(st.Skipped[reason])))
		}
		p.linef("skipped  %s", strings.Join(parts, ", "))
	}
	if p.err != nil {
		return p.err
	}
	// What is wrong with a source is among st.Degraded.
	if err := table(w, st.Sources); err != nil {
		return err
	}
	for _, name := range contract.Streams {
		if i, ok := st.Streams[name]; ok {
			p.linef("%s  %s messages, %s", s.faint(fmt.Sprintf("%-8s", name)), count(i.Messages), bytes(i.Bytes))
		}
	}
	if v := st.Verify; v != nil {
		p.linef("%s  %s, begun %s", s.faint("verified"), outcome(s, *v), v.Started.Local().Format("2006-01-02 15:04"))
	}
	if r := st.Reranker; r != nil && r.Trouble == "" {
		p.linef("%s  of %s, %s trees; %s %.3f → %.3f on %s held back", s.faint("learned "), r.Trained.Local().Format("2006-01-02 15:04"), count(r.Trees), printable(r.Merit.Measure), r.Merit.Before, r.Merit.After, plural(r.Merit.Tasks, "task", "tasks"))
	}
	return p.err
}

// Sources writes one line per source, and below it what is wrong with it.
func Sources(w io.Writer, s Style, list []contract.SourceInfo) error {
	if err := table(w, list); err != nil {
		return err
	}
	p := &printer{w: w}
	for _, i := range list {
		if i.Held != "" {
			p.linef("%s%s", s.bad(string(i.Source)+": held: "), printable(i.Held))
		}
		for _, d := range i.Degraded {
			p.linef("%s%s", s.bad(string(i.Source)+": "), printable(d))
		}
	}
	return p.err
}

func table(w io.Writer, list []contract.SourceInfo) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	p := &printer{w: t}
	for _, i := range list {
		view := string(i.View)
		if i.Branch != "" && i.Branch != view {
			view += " (" + i.Branch + ")"
		}
		p.linef("%s\t%s\t%s\t%s\t%s\t%s", i.Source, orNone(printable(i.Root)), i.Kind, printable(view), plural(i.Documents, "document", "documents"), watching(i))
	}
	if p.err == nil {
		p.err = t.Flush()
	}
	return p.err
}

func watching(i contract.SourceInfo) string {
	switch {
	case i.Held != "":
		return "held"
	case !i.Watched:
		return "not watched"
	case i.Scanning:
		return "watched, being compared"
	}
	return "watched"
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// printer keeps the first error of several writes.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) linef(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}
