package render

import (
	"io"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Keys writes the keys, one a line.
func Keys(w io.Writer, s terminal.Style, list []contract.KeyInfo) error {
	p := &terminal.Printer{W: w}
	for _, k := range list {
		ends := "does not end"
		switch {
		case k.Expired:
			ends = s.Bad("has ended")
		case !k.Expires.IsZero():
			ends = "ends " + k.Expires.Local().Format(time.DateTime)
		}
		p.Linef("%s  %s  %s  %s", k.Name, k.Role, ends, s.Faint(terminal.Printable(strings.Join(k.Groups, " "))))
	}
	return p.Err
}
