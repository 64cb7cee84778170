package render

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Asked writes an entry of the audit log as one line.
func Asked(w io.Writer, s terminal.Style, e *contract.AuditListed) error {
	p := &terminal.Printer{W: w}
	who := e.Who
	if who == "" {
		who = "nobody known"
	}
	var shown []string
	for _, d := range e.Documents {
		path := string(d.Path)
		if path == "" {
			path = "(gone)"
		}
		shown = append(shown, terminal.Printable(string(d.Source)+":"+path))
	}
	if e.More > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", e.More))
	}
	if e.Refused != "" {
		shown = append(shown, s.Bad(string(e.Refused)))
	}
	p.Linef("%s  %s  %s  %s  %s", e.Time.Local().Format(time.DateTime), terminal.Printable(who), strings.TrimPrefix(e.Subject, "freshet."), terminal.Printable(e.Question), s.Faint(strings.Join(shown, " ")))
	return p.Err
}
