package render

import (
	"fmt"
	"io"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Change writes one change as a line: time, what happened, document, token.
func Change(w io.Writer, s terminal.Style, c contract.Change) error {
	what := string(c.Source)
	if c.View != document.Worktree {
		what += "@" + string(c.View)
	}
	if c.Path != "" {
		what += ":" + string(c.Path)
	}
	line := s.Faint(c.Time.Local().Format("15:04:05.000")) + "  " + fmt.Sprintf("%-7s", c.Op) + "  " + s.Path(terminal.Printable(what))
	switch {
	case c.Op == contract.OpMarker && c.Commit != "":
		line += "  commit " + s.Symbol(c.Commit) + ", " + terminal.Plural(c.Documents, "document", "documents")
	case c.Op == contract.OpMarker:
		line += "  " + terminal.Plural(c.Documents, "document", "documents")
	case c.Reason != "":
		line += "  " + terminal.Printable(c.Reason)
	}
	_, err := fmt.Fprintln(w, line+"  "+s.Number(c.Token.String()))
	return err
}
