package render

import (
	"fmt"
	"io"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Standing writes a passage that answers a kept question as a hit, with its relevance
// in the place of the score.
func Standing(w io.Writer, s terminal.Style, places Places, told *contract.StandingHit) error {
	hit := told.Hit
	hit.Score = told.Relevance
	if err := Hits(w, s, places, contract.SearchReply{Hits: []contract.Hit{hit}}); err != nil || told.More == 0 {
		return err
	}
	_, err := fmt.Fprintln(w, margin+s.Faint("and "+terminal.Plural(told.More, "other passage", "other passages")+" of it"))
	return err
}

// Watches writes the questions that are kept, one a line.
func Watches(w io.Writer, s terminal.Style, list contract.WatchList) error {
	p := &terminal.Printer{W: w}
	for _, q := range list.Questions {
		p.Linef("%s  %s  %s", q.ID, terminal.Printable(q.Question.Query), s.Faint(fmt.Sprintf("ends in %s", (time.Duration(q.Seconds)*time.Second).Round(time.Minute))))
	}
	return p.Err
}
