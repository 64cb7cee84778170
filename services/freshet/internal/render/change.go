package render

import (
	"fmt"
	"io"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Change writes one change as a line: time, what happened, document, token.
func Change(w io.Writer, s Style, c contract.Change) error {
	what := string(c.Source)
	if c.View != document.Worktree {
		what += "@" + string(c.View)
	}
	if c.Path != "" {
		what += ":" + string(c.Path)
	}
	line := s.faint(c.Time.Local().Format("15:04:05.000")) + "  " + fmt.Sprintf("%-7s", c.Op) + "  " + s.path(printable(what))
	switch {
	case c.Op == contract.OpMarker && c.Commit != "":
		line += "  commit " + s.symbol(c.Commit) + ", " + plural(c.Documents, "document", "documents")
	case c.Op == contract.OpMarker:
		line += "  " + plural(c.Documents, "document", "documents")
	case c.Reason != "":
		line += "  " + printable(c.Reason)
	}
	_, err := fmt.Fprintln(w, line+"  "+s.number(c.Token.String()))
	return err
}
