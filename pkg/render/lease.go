package render

import (
	"fmt"
	"io"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// LeaseChanges writes what has become of what was given, one passage a line.
func LeaseChanges(w io.Writer, s terminal.Style, places Places, news *contract.LeaseNews) error {
	p := &terminal.Printer{W: w}
	for _, c := range news.Changes {
		line := fmt.Sprintf("%s:%s %s", s.Path(places.Path(c.Source, c.Path)), s.Number(fmt.Sprintf("%d-%d", c.StartLine, c.EndLine)), c.What)
		if c.What == contract.LeaseMoved {
			line += fmt.Sprintf(" to %d-%d", c.NowStart, c.NowEnd)
		}
		p.Linef("%s", line)
	}
	for _, n := range []struct {
		count int
		says  string
	}{
		{news.Forgotten, "of a source that was removed"},
		{news.Dropped, "left the lease, which holds no more"},
		{news.Unchecked, "could not be looked at: the next answer does"},
	} {
		if n.count > 0 {
			p.Linef("%s %s", terminal.Plural(n.count, "passage", "passages"), n.says)
		}
	}
	return p.Err
}

// LeaseNotes writes the changes, and how to go on with the lease; nothing where the
// answer has none.
func LeaseNotes(w io.Writer, s terminal.Style, places Places, news *contract.LeaseNews) error {
	if news == nil {
		return nil
	}
	if err := LeaseChanges(w, s, places, news); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, s.Faint(fmt.Sprintf("lease %s holds %s", news.Lease, terminal.Plural(news.Holds, "passage", "passages"))))
	return err
}
