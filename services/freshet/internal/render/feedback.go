package render

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/freshet/internal/eval/feedback"
)

// FeedbackKept writes one line for what was kept.
func FeedbackKept(w io.Writer, s Style, places Places, f contract.Feedback) error {
	p := &printer{w: w}
	for _, h := range f.Hits {
		p.linef("%s  %s", s.bold(string(f.Kind)), feedbackHit(s, places, h))
	}
	return p.err
}

// Feedback writes one line for each event, and what they come to.
func Feedback(w io.Writer, s Style, places Places, events []contract.FeedbackEvent, sum feedback.Statistics, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	p := &printer{w: t}
	for _, e := range events {
		// Colours stand in the last column, where they do no harm.
		p.linef("%s\t%s\t%s\t%s", age(e.Time, now), e.Kind, shorten(printable(e.Query), queryWidth), feedbackHits(s, places, e.Hits))
	}
	if p.err == nil {
		p.err = t.Flush()
	}
	p.w = w
	if sum.Events > 0 {
		p.linef("")
	}
	p.linef("%s on %s: %d shown, %d opened, %d up, %d down", plural(sum.Events, "event", "events"), plural(sum.Questions, "question", "questions"),
		sum.Kinds[contract.FeedbackShown], sum.Kinds[contract.FeedbackOpened], sum.Kinds[contract.FeedbackUp], sum.Kinds[contract.FeedbackDown])
	if sum.Taken > 0 {
		p.linef("of %s of which a hit was opened or got a thumb up, it was the first hit in %.0f %%; MRR %.2f",
			plural(sum.Taken, "answer", "answers"), 100*sum.First, sum.MRR)
	}
	if sum.Shown > 0 {
		p.linef("of %s shown, a hit was opened or got a thumb up in %.0f %%", plural(sum.Shown, "answer", "answers"), 100*float64(sum.Followed)/float64(sum.Shown))
	}
	return p.err
}

// queryWidth bounds what is shown of a question.
const queryWidth = 60

func feedbackHits(s Style, places Places, hits []contract.FeedbackHit) string {
	switch len(hits) {
	case 0:
		return s.faint("no hits")
	case 1:
		return feedbackHit(s, places, hits[0])
	}
	return feedbackHit(s, places, hits[0]) + s.faint(fmt.Sprintf(" and %d more", len(hits)-1))
}

func feedbackHit(s Style, places Places, h contract.FeedbackHit) string {
	var b strings.Builder
	b.WriteString(s.path(places.Path(h.Source, h.Path)))
	if h.StartLine > 0 {
		fmt.Fprintf(&b, ":%d-%d", h.StartLine, h.EndLine)
	}
	if h.Rank > 0 {
		b.WriteString("  " + s.number(fmt.Sprintf("#%d", h.Rank)))
	}
	return b.String()
}
