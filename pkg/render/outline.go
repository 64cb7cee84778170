package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Outline writes the definitions of a document with their lines, or the documents
// and folders of a folder with their sizes.
func Outline(w io.Writer, s terminal.Style, places Places, reply contract.OutlineReply) error {
	p := &terminal.Printer{W: w}
	if d := reply.Document; d != nil {
		for _, e := range d.Entries {
			p.Linef("%s:%s  %s", s.Path(places.Path(d.Source, d.Path)), s.Number(fmt.Sprintf("%d-%d", e.StartLine, e.EndLine)), outlined(s, e))
		}
	}
	if f := reply.Folder; f != nil {
		p.Columns(false, func(p *terminal.Printer) {
			for _, e := range f.Entries {
				path := places.Path(e.Source, e.Path)
				switch {
				case e.Documents > 0:
					p.Linef("%s/\t%s\t%s", path, terminal.Documents(e.Documents), terminal.Bytes(e.Size))
				case e.Skipped != "":
					p.Linef("%s\tnot indexed: %s\t", path, terminal.Printable(e.Skipped))
				default:
					p.Linef("%s\t\t%s", path, terminal.Bytes(e.Size))
				}
			}
		})
	}
	return p.Err
}

func outlined(s terminal.Style, e contract.OutlineEntry) string {
	name := e.Name
	if len(e.Headings) > 0 {
		name = strings.Join(e.Headings, " > ")
	}
	out := s.Symbol(terminal.Printable(name))
	if e.Kind != "" {
		out += "  " + s.Faint(terminal.Printable(e.Kind))
	}
	return out
}

// OutlineNotes writes what a person should know beside the entries.
func OutlineNotes(w io.Writer, s terminal.Style, reply contract.OutlineReply) error {
	p := terminal.Printer{W: w}
	for _, d := range reply.Degraded {
		p.Linef("%s%s", s.Bad("degraded: "), terminal.Printable(With(d, reply.Actions)))
	}
	if reply.More > 0 {
		p.Linef("and %d more: raise --limit", reply.More)
	}
	if d := reply.Document; d != nil && !d.Uncut && len(d.Entries) == 0 {
		p.Linef("its %s have no definition and no heading", terminal.Plural(d.Total, "line", "lines"))
	}
	return p.Err
}
