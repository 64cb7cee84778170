package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Related writes one paragraph per passage: path:line, why it is related, symbol, and
// the text that the answer has of it.
func Related(w io.Writer, s terminal.Style, places Places, reply contract.RelatedReply) error {
	for _, one := range reply.Related {
		h := one.Passage
		line := cmp.Or(h.Line, h.StartLine)
		head := s.Link(places.Link(h.Source, h.Path, line), s.Path(places.Path(h.Source, h.Path))+fmt.Sprintf(":%d", line)) + "  " + s.Number(Why(one.Why))
		if name := title(h); name != "" {
			head += "  " + s.Symbol(name)
		}
		if h.Pending {
			head += "  " + s.Faint("(being indexed)")
		}
		if _, err := fmt.Fprintln(w, head); err != nil {
			return err
		}
		if err := writeText(w, s, h, s.Within(len(margin), excerptWidth)); err != nil {
			return err
		}
	}
	return nil
}

// said is what a relation makes of the related passage, read as a sentence about it.
var said = map[string]string{
	contract.RelatedCalls: "defines", contract.RelatedCalledBy: "uses", contract.RelatedTests: "tests", contract.RelatedNear: "near",
}

// Why says how a passage is related: "uses Retry, near".
func Why(why []contract.Relation) string {
	parts := make([]string, len(why))
	for i, r := range why {
		parts[i] = strings.TrimSpace(said[r.Relation] + " " + terminal.Printable(r.Name))
	}
	return strings.Join(parts, ", ")
}

// RelatedNotes writes what a person should know beside the passages.
func RelatedNotes(w io.Writer, s terminal.Style, places Places, reply contract.RelatedReply) error {
	err := Notes(w, s, places, contract.SearchReply{Pending: reply.Pending, Failed: reply.Failed, Degraded: reply.Degraded, Actions: reply.Actions}, false)
	if err == nil && len(reply.Related) == 0 {
		_, err = fmt.Fprintf(w, "nothing is related to the lines %d to %d of %s\n", reply.Of.StartLine, reply.Of.EndLine, places.Path(reply.Of.Source, reply.Of.Path))
	}
	if err == nil {
		err = LeaseNotes(w, s, places, reply.Lease)
	}
	return err
}
