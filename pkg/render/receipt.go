package render

import (
	"io"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Receipt writes what the removal of a source took away, and where something of
// it may still stand.
func Receipt(w io.Writer, s terminal.Style, r contract.Receipt) error {
	p := &terminal.Printer{W: w}
	p.Linef("removed %s: %s, %s, %s, %s", r.Source, terminal.Plural(r.Documents, "document", "documents"), terminal.Plural(r.Bodies, "large body", "large bodies"),
		terminal.Plural(r.Feedback, "feedback event", "feedback events"), terminal.Plural(r.Letters, "dead letter", "dead letters"))
	p.Linef("overwritten in files: %s", terminal.Plural(r.Erased, "item", "items"))
	for _, left := range r.Left {
		p.Linef("%s%s", s.Bad("left: "), terminal.Printable(With(left, r.Actions)))
	}
	p.Linef("to check: `freshet verify` compares what is left; a word that only it had is in no file of the state folder")
	return p.Err
}
