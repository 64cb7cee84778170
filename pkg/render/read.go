package render

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Lines writes lines of a document, with their numbers where that is wanted. For
// people the text cannot steer the terminal; else it is the bytes that the document
// has.
func Lines(w io.Writer, s terminal.Style, people, numbers bool, reply contract.ReadReply) error {
	text := []byte(reply.Text)
	if reply.Bytes != nil {
		text = reply.Bytes
	}
	if !people && !numbers {
		if _, err := w.Write(text); err != nil {
			return fmt.Errorf("write the lines: %w", err)
		}
		return nil
	}
	width := len(strconv.Itoa(reply.To))
	p := terminal.Printer{W: w}
	for i, line := range bytes.Split(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\n'}) {
		if reply.From == 0 {
			break // an empty document
		}
		shown := string(line)
		if people {
			shown = terminal.PrintableLines(string(bytes.TrimSuffix(line, []byte{'\r'})))
		}
		if numbers {
			shown = s.Number(fmt.Sprintf("%*d", width, reply.From+i)) + "\t" + shown
		}
		p.Linef("%s", shown)
	}
	return p.Err
}

// ReadNotes writes what a person should know beside the lines.
func ReadNotes(w io.Writer, s terminal.Style, places Places, reply contract.ReadReply) error {
	p := terminal.Printer{W: w}
	for _, d := range reply.Degraded {
		p.Linef("%s%s", s.Bad("degraded: "), terminal.Printable(With(d, reply.Actions)))
	}
	if reply.Pending {
		p.Linef("being indexed: a search may not find this version yet")
	}
	if n := len(reply.Cut); n > 0 {
		p.Linef("not all is shown of %d long lines, the first is line %d: raise --max-columns", n, reply.Cut[0].Line)
	}
	if reply.Next > 0 {
		p.Linef("%s has %d lines: go on with `freshet read %s:%d`", places.Path(reply.Source, reply.Path), reply.Total,
			terminal.ShellWord(places.Path(reply.Source, reply.Path)), reply.Next)
	}
	return p.Err
}
