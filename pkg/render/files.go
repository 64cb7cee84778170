package render

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Files writes documents as they come, one a line.
type Files struct {
	W      io.Writer
	Style  terminal.Style
	Places Places
	// Plain writes names alone, with the bytes that they have on the disk unless
	// People read them; each ends with End.
	Plain, People bool
	End           string
	// Skipped says that what is left out is listed.
	Skipped bool
}

// Head names the columns, for people.
func (f Files) Head() error {
	columns := fmt.Sprintf("%9s  %-12s %8s  %-16s  %s", "size", "language", "passages", "version", "path")
	if f.Skipped {
		columns = fmt.Sprintf("%9s  %-20s  %s", "size", "reason", "path")
	}
	_, err := fmt.Fprintln(f.W, f.Style.Faint(columns))
	return err
}

// Some writes the documents of one part.
func (f Files) Some(entries []contract.FileEntry) error {
	p := &terminal.Printer{W: f.W}
	for i := range entries {
		e := &entries[i]
		name := f.Places.File(e.Source, e.Path)
		if !f.Plain || f.People {
			name = terminal.Printable(name)
		}
		switch {
		case f.Plain && f.People:
			p.Linef("%s", f.Style.Path(name))
		case f.Plain:
			if p.Err == nil {
				_, p.Err = io.WriteString(f.W, name+f.End)
			}
		case f.Skipped:
			p.Linef("%9s  %-20s  %s", terminal.Bytes(e.Size), terminal.Printable(e.Reason), f.Style.Path(name))
		default:
			p.Linef("%9s  %-12s %8d  %-16d  %s%s", terminal.Bytes(e.Size), cmp.Or(e.Language, "-"), e.Passages, e.Version, f.Style.Path(name), f.stand(e))
		}
	}
	return p.Err
}

// stand says how far a document has come that is not searchable.
func (f Files) stand(e *contract.FileEntry) string {
	switch e.State {
	case contract.FilePending:
		return "  " + f.Style.Faint("(being indexed)")
	case contract.FileDead:
		return "  " + f.Style.Bad("(failed: "+string(e.Stage)+": "+terminal.Printable(terminal.Shorten(e.Reason, reasonWidth))+")")
	}
	return ""
}

// reasonWidth bounds what a line tells of a failure: the dead letter has it all.
const reasonWidth = 80

// FilesNotes writes what the list comes to, and what a person should know beside
// it.
func FilesNotes(w io.Writer, s terminal.Style, asked contract.FilesRequest, sum contract.FilesSummary) error {
	p := &terminal.Printer{W: w}
	for _, d := range sum.Degraded {
		p.Linef("%s%s", s.Bad("degraded: "), terminal.Printable(With(d, sum.Actions)))
	}
	if sum.More > 0 {
		p.Linef("and %s more: raise --limit, or name fewer files", terminal.Count(sum.More))
	}
	p.Linef("%s", s.Faint(total(asked, sum)))
	if sum.Dead > 0 {
		p.Linef("%s", afterFailed)
	}
	return p.Err
}

func total(asked contract.FilesRequest, sum contract.FilesSummary) string {
	if asked.Show == contract.FilesSkipped {
		line := terminal.Documents(sum.Documents) + " left out, " + terminal.Bytes(sum.Bytes)
		if sum.Documents > 0 {
			line += ": " + reasons(sum.Skipped)
		}
		return line + "; what is ignored is not among them, `freshet explain PATH` tells it of a path"
	}
	parts := []string{terminal.Documents(sum.Documents), terminal.Bytes(sum.Bytes)}
	if !asked.Paths {
		parts = append(parts, terminal.Plural(sum.Passages, "passage", "passages"))
	}
	line := strings.Join(parts, ", ")
	if sum.Pending > 0 {
		line += fmt.Sprintf("; %s being indexed", terminal.Count(sum.Pending))
	}
	if sum.Dead > 0 {
		line += fmt.Sprintf("; %s failed", terminal.Count(sum.Dead))
	}
	if len(sum.Skipped) > 0 {
		line += "; left out (--skipped): " + reasons(sum.Skipped)
	}
	return line
}

// reasons counts what is left out, the most frequent reason first.
func reasons(by map[string]int) string {
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(by[b]-by[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %s", terminal.Printable(name), terminal.Count(by[name]))
	}
	return strings.Join(names, ", ")
}
