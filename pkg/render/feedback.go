package render

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// FeedbackKept writes one line for what was kept.
func FeedbackKept(w io.Writer, s terminal.Style, places Places, f contract.Feedback) error {
	p := &terminal.Printer{W: w}
	for _, h := range f.Hits {
		p.Linef("%s  %s", s.Bold(string(f.Kind)), feedbackHit(s, places, h))
	}
	return p.Err
}

// Feedback writes one line for each event.
func Feedback(w io.Writer, s terminal.Style, places Places, events []contract.FeedbackEvent, now time.Time) error {
	t := tabwriter.NewWriter(s.Fit(w), 0, 0, 2, ' ', 0)
	p := &terminal.Printer{W: t}
	for _, e := range events {
		// Colours stand in the last column, where they do no harm.
		p.Linef("%s\t%s\t%s\t%s", terminal.Age(e.Time, now), e.Kind, terminal.Shorten(terminal.Printable(e.Query), queryWidth), feedbackHits(s, places, e.Hits))
	}
	if p.Err == nil {
		p.Err = t.Flush()
	}
	return p.Err
}

// queryWidth bounds what is shown of a question.
const queryWidth = 60

func feedbackHits(s terminal.Style, places Places, hits []contract.FeedbackHit) string {
	switch len(hits) {
	case 0:
		return s.Faint("no hits")
	case 1:
		return feedbackHit(s, places, hits[0])
	}
	return feedbackHit(s, places, hits[0]) + s.Faint(fmt.Sprintf(" and %d more", len(hits)-1))
}

func feedbackHit(s terminal.Style, places Places, h contract.FeedbackHit) string {
	var b strings.Builder
	b.WriteString(s.Path(places.Path(h.Source, h.Path)))
	if h.StartLine > 0 {
		fmt.Fprintf(&b, ":%d-%d", h.StartLine, h.EndLine)
	}
	if h.Rank > 0 {
		b.WriteString("  " + s.Number(fmt.Sprintf("#%d", h.Rank)))
	}
	return b.String()
}
