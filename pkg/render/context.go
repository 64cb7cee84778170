package render

import (
	"fmt"
	"io"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// ContextNotes writes what a person should know beside a packed text.
func ContextNotes(w io.Writer, s terminal.Style, places Places, reply contract.ContextReply) error {
	err := Notes(w, s, places, contract.SearchReply{
		Degraded: reply.Degraded, Actions: reply.Actions, Corrected: reply.Corrected, Pending: reply.Pending, Failed: reply.Failed,
	}, false)
	if err != nil {
		return err
	}
	p := &terminal.Printer{W: w}
	if reply.Query != "" {
		p.Linef("asked with what was said before: %s", terminal.Shorten(terminal.Printable(reply.Query), 200))
	}
	switch {
	case reply.NothingRelevant:
		p.Linef("nothing relevant here, probably: these are the nearest passages")
	case len(reply.Passages) == 0 && reply.LeftOut == 0:
		p.Linef("no passages")
	}
	if reply.LeftOut > 0 {
		p.Linef("%s did not fit: raise --max-tokens", terminal.Plural(reply.LeftOut, "passage", "passages"))
	}
	if err := LeaseNotes(w, s, places, reply.Lease); err != nil {
		return err
	}
	b := reply.Budget
	counted := "counted by " + b.Tokenizer
	if !b.Exact {
		counted += fmt.Sprintf(" and multiplied by %g: the model's own vocabulary is not known", b.Factor)
	}
	p.Linef("%s", s.Faint(fmt.Sprintf("%s of %s, %s", terminal.Plural(reply.Tokens, "token", "tokens"), terminal.Count(b.Tokens), counted)))
	return p.Err
}
