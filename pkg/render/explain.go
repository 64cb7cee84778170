package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Explanation writes the verdict in one sentence, then the evidence, then what
// to do.
func Explanation(w io.Writer, s terminal.Style, a About) error {
	verdict := strings.ReplaceAll(string(a.Verdict), "_", " ")
	if a.Searchable() {
		verdict = s.Good(verdict)
	} else {
		verdict = s.Bad(verdict)
	}
	p := &terminal.Printer{W: w}
	p.Linef("%s  %s", verdict, terminal.Printable(a.Summary))
	if p.Err != nil {
		return p.Err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	e := &evidence{Printer: terminal.Printer{W: t}, s: s}
	if a.File != nil {
		e.file(a.File)
	}
	if a.Log != nil {
		e.log(a.Log)
		e.seen(a.Log)
		if a.Log.Search != nil {
			e.search(a.Log.Search)
		}
	}
	for _, d := range a.Trouble {
		e.row("degraded", "%s", terminal.Printable(d))
	}
	if e.Err != nil {
		return e.Err
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("write the explanation: %w", err)
	}
	for _, next := range append(a.Next[:len(a.Next):len(a.Next)], Steps(a.Actions)...) {
		p.Linef("%s %s", s.Bold("→"), terminal.Printable(next))
	}
	return p.Err
}

// evidence writes rows under a label that is written once.
type evidence struct {
	terminal.Printer
	s    terminal.Style
	last string
}

func (e *evidence) row(label, format string, args ...any) {
	shown := label
	if label == e.last {
		shown = ""
	}
	e.last = label
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	e.Linef("  %s\t%s", shown, text)
}

func (e *evidence) file(f *contract.FileExplanation) {
	what := f.Type
	if f.Now != nil {
		what += ", " + terminal.Bytes(f.Now.Size)
		if !f.Now.Modified.IsZero() {
			what += ", modified " + clock(f.Now.Modified)
		}
	}
	if f.Target != "" {
		what += ", leads to " + terminal.Printable(f.Target)
	}
	e.row("path", "%s (%s)", terminal.Printable(f.Path), what)
	if f.Source != nil {
		e.row("source", "%s, %s, %s", f.Source.Source, strings.TrimSpace(f.Source.Kind+" "+terminal.Printable(cmp.Or(f.Source.Remote, f.Source.Root))), watching(*f.Source))
	}
	if r := f.Rule; r != nil {
		does := "leaves out"
		if !r.Ignores {
			does = "lets in"
		}
		where := r.Class
		if r.File != "" {
			where = fmt.Sprintf("%s:%d", r.File, r.Line)
		}
		e.row("rule", "%s  `%s`  %s %s", terminal.Printable(where), terminal.Printable(r.Pattern), does, terminal.Printable(orNone(string(r.Matched))))
	}
	if f.Reason != "" {
		e.row("skipped", "%s", terminal.Printable(f.Reason))
	}
	if f.Setting != "" {
		e.row("setting", "%s", f.Setting)
	}
	if f.Log != nil {
		e.version(*f.Log)
	}
	if f.Waits != "" {
		e.row("waits", "%s", terminal.Printable(f.Waits))
	}
	e.groups("in the folder", f.Folder)
}

func (e *evidence) version(v contract.LogVersion) {
	text := fmt.Sprintf("version %d, %s, %s", v.Version, v.Op, clock(v.Time))
	if v.Op == contract.OpPut {
		text += fmt.Sprintf(", %s, %s", terminal.Bytes(v.Size), v.Collection)
	}
	if v.View != document.Worktree {
		text += ", view " + terminal.Printable(string(v.View))
	}
	if v.Commit != "" {
		text += ", commit " + v.Commit[:min(len(v.Commit), 12)]
	}
	if v.Reason != "" {
		text += ", " + terminal.Printable(v.Reason)
	}
	e.row("log", "%s", text)
}

func (e *evidence) groups(label string, list []contract.PathGroup) {
	for _, g := range list {
		var names []string
		for _, p := range g.Paths {
			names = append(names, terminal.Printable(string(p)))
		}
		if g.Count > len(names) {
			names = append(names, "…")
		}
		what := strings.ReplaceAll(string(g.Verdict), "_", " ")
		if g.Reason != "" {
			what += " (" + terminal.Printable(g.Reason) + ")"
		}
		e.row(label, "%s %s: %s", terminal.Count(g.Count), what, strings.Join(names, ", "))
	}
}

// passagesShown bounds the passages that a person is shown.
const passagesShown = 12

// seen writes who sees the document, where there are rules.
func (e *evidence) seen(x *contract.Explanation) {
	if !x.Restricted {
		return
	}
	if len(x.Seen) == 0 {
		e.row("seen by", "owners alone: no rule of the access file lets a group see it")
	}
	for _, g := range x.Seen {
		rules := make([]string, len(g.Rules))
		for i, n := range g.Rules {
			rules[i] = fmt.Sprintf("rules[%d]", n)
		}
		text := terminal.Printable(g.Group) + "  by " + strings.Join(rules, ", ")
		switch g.Hidden {
		case contract.HiddenByRoles:
			text = e.s.Bad("not "+terminal.Printable(g.Group)) + "  " + strings.Join(rules, ", ") + " would show it, and it names roles of which that is none"
		case contract.HiddenBySource:
			text = e.s.Bad("not "+terminal.Printable(g.Group)) + "  " + strings.Join(rules, ", ") + " would show it, and " + string(document.AccessFile) + " in its source does not"
		}
		if g.View != document.Worktree {
			text += ", view " + terminal.Printable(string(g.View))
		}
		e.row("seen by", "%s", text)
	}
}

func (e *evidence) log(x *contract.Explanation) {
	if e.last == "" { // the watcher did not say
		for _, v := range x.Versions {
			e.version(v)
		}
	}
	for _, st := range x.Stages {
		if x.Verdict == contract.VerdictDeleted || x.Verdict == contract.VerdictSkipped {
			break // every stage has done with it
		}
		text := string(st.Stage) + " " + st.State
		switch {
		case st.Since.IsZero():
		case st.State == contract.StageDone:
			text += " at " + clock(st.Since)
		default:
			text += " since " + clock(st.Since)
		}
		if st.State == contract.StageDone {
			text += ", " + terminal.Plural(st.Chunks, "passage", "passages")
		} else if st.Version > 0 {
			text += fmt.Sprintf(", shows version %d", st.Version)
		}
		if st.View != document.Worktree {
			text += ", view " + terminal.Printable(string(st.View))
		}
		if st.Note != "" {
			text += ": " + terminal.Printable(st.Note)
		}
		if st.State == contract.StageFailed || st.State == contract.StageWaiting {
			text = e.s.Bad(text)
		}
		e.row("stages", "%s", text)
	}
	for _, f := range x.Failed {
		if !f.Newest {
			e.row("failed", "%s, with an older version: %s", f.Stage, terminal.Printable(f.Reason))
		}
	}
	for i, c := range x.Chunks {
		if i == passagesShown {
			e.row("passages", "and %d more, see --json", len(x.Chunks)-passagesShown)
			break
		}
		e.row("passages", "%s  born %d, lexical %s, vector %s", place(c.StartLine, c.EndLine, c.Symbol, c.Kind), c.Born, c.Sinks[document.Lexical], c.Sinks[document.Vector])
	}
	e.groups("in the log", x.Folder)
	for _, d := range x.Degraded {
		e.row("degraded", "%s", terminal.Printable(With(d, x.Actions)))
	}
}

func place(start, end int, symbol, kind string) string {
	text := fmt.Sprintf("%d-%d", start, end)
	if kind != "" {
		text += " " + kind
	}
	if symbol != "" {
		text += " " + terminal.Printable(symbol)
	}
	return text
}

func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }
