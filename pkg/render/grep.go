package render

import (
	"io"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Grep writes what matches as grep does: path:line:text, path-line-text for lines
// of context, and -- between groups of lines. For people the text cannot steer the
// terminal; else it is the bytes that the documents have.
func Grep(w io.Writer, s terminal.Style, people bool, places Places, asked contract.GrepRequest, reply contract.GrepReply) error {
	g := grepPrinter{Printer: terminal.Printer{W: w}, style: s, people: people, groups: asked.Before+asked.After > 0}
	for i := range reply.Files {
		f := &reply.Files[i]
		path := s.Path(places.Path(f.Source, f.Path))
		switch asked.Show {
		case contract.GrepFiles:
			g.Linef("%s", path)
		case contract.GrepCounts:
			g.Linef("%s:%s", path, s.Number(strconv.Itoa(f.Count)))
		default:
			g.lines(path, f.Lines)
		}
	}
	return g.Err
}

// GrepMatches writes what matches in lines, as path:line:text, each by itself.
func GrepMatches(w io.Writer, s terminal.Style, people bool, places Places, reply contract.GrepReply) error {
	p := terminal.Printer{W: w}
	for i := range reply.Files {
		f := &reply.Files[i]
		path := s.Path(places.Path(f.Source, f.Path))
		for j := range f.Lines {
			l := &f.Lines[j]
			text := textOf(l)
			for _, m := range l.Matches {
				if m.Start < 0 || m.End <= m.Start || m.End > len(text) {
					continue // empty, or no answer of ours
				}
				match := text[m.Start:m.End]
				if people {
					match = s.Bad(terminal.PrintableLines(match))
				}
				p.Linef("%s:%s:%s", path, s.Number(strconv.Itoa(l.Line)), match)
			}
		}
	}
	return p.Err
}

// GrepMatchNotes says of how many lines there may be more matches than were listed.
func GrepMatchNotes(w io.Writer, reply contract.GrepReply) error {
	p := terminal.Printer{W: w}
	full := 0
	for _, f := range reply.Files {
		for _, l := range f.Lines {
			if len(l.Matches) >= contract.GrepRanges {
				full++
			}
		}
	}
	if full > 0 {
		p.Linef("of %d lines the first %d matches are listed", full, contract.GrepRanges)
	}
	return p.Err
}

// textOf is a line as the document has it.
func textOf(l *contract.GrepLine) string {
	if l.Bytes != nil {
		return string(l.Bytes)
	}
	return l.Text
}

type grepPrinter struct {
	terminal.Printer
	style  terminal.Style
	people bool
	groups bool // of lines are set apart
	begun  bool // a line was written
}

func (g *grepPrinter) lines(path string, lines []contract.GrepLine) {
	for i := range lines {
		l := &lines[i]
		if g.groups && g.begun && (i == 0 || lines[i-1].Line+1 < l.Line) {
			g.Linef("--")
		}
		g.begun = true
		mark := ":"
		if l.Context {
			mark = "-"
		}
		g.Linef("%s%s%s%s%s", path, mark, g.style.Number(strconv.Itoa(l.Line)), mark, g.text(l))
	}
}

// text is a line with its matches marked.
func (g *grepPrinter) text(l *contract.GrepLine) string {
	text := textOf(l)
	if !g.people {
		return text
	}
	var b strings.Builder
	at := 0
	for _, m := range l.Matches {
		if m.Start < at || m.End < m.Start || m.End > len(text) {
			break // no answer of ours
		}
		b.WriteString(terminal.PrintableLines(text[at:m.Start]))
		b.WriteString(g.style.Bad(terminal.PrintableLines(text[m.Start:m.End])))
		at = m.End
	}
	b.WriteString(terminal.PrintableLines(text[at:]))
	return b.String()
}

// GrepNotes writes what a person should know beside the lines: what is not
// listed, what was not searched, and what is degraded.
func GrepNotes(w io.Writer, s terminal.Style, places Places, asked contract.GrepRequest, reply contract.GrepReply) error {
	p := terminal.Printer{W: w}
	for _, d := range reply.Degraded {
		p.Linef("%s%s", s.Bad("degraded: "), terminal.Printable(With(d, reply.Actions)))
	}
	least := ""
	if !reply.Complete {
		least = "at least "
	}
	if reply.More > 0 {
		what := "matching lines"
		if asked.Show == contract.GrepFiles || asked.Show == contract.GrepCounts {
			what = "files with a match"
		}
		p.Linef("and %s%d more %s: raise --limit, or name fewer files", least, reply.More, what)
	}
	if n := cutLines(reply); n > 0 {
		p.Linef("not all is shown of %d long lines: raise --max-columns", n)
	}
	for _, line := range some(reply.Unsearched, s.Bad("not searched: "), func(u contract.GrepUnsearched) string {
		return places.Path(u.Source, u.Path) + " (" + whyUnsearched(u.Reason) + ")"
	}) {
		p.Linef("%s", line)
	}
	n := len(reply.Unsearched) + reply.MoreUnsearched
	if n > listed {
		p.Linef("%d files were not searched in all", n)
	}
	if n > 0 && reply.Scan && !asked.Invert {
		p.Linef("every file has to be read: no three characters stand in whatever matches; a pattern that has them is quicker")
	}
	return p.Err
}

func cutLines(reply contract.GrepReply) (n int) {
	for _, f := range reply.Files {
		for _, l := range f.Lines {
			if l.From+l.Left > 0 {
				n++
			}
		}
	}
	return n
}

func whyUnsearched(r contract.GrepReason) string {
	switch r {
	case contract.GrepUnreadable:
		return "the log does not give its text, which is being made again"
	case contract.GrepDeadline:
		return "the time was up: allow more with --deadline, or name fewer files"
	case contract.GrepBytes:
		return "behind --max-bytes"
	case contract.GrepChanged:
		return "it changed each time it was read: ask again"
	}
	return terminal.Printable(string(r))
}
