package feedback

import (
	"io"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Write writes for a person what the events come to.
func (s Statistics) Write(w io.Writer) error {
	p := &terminal.Printer{W: w}
	if s.Events > 0 {
		p.Linef("") // behind the events
	}
	p.Linef("%s on %s: %d shown, %d opened, %d up, %d down", terminal.Plural(s.Events, "event", "events"), terminal.Plural(s.Questions, "question", "questions"),
		s.Kinds[contract.FeedbackShown], s.Kinds[contract.FeedbackOpened], s.Kinds[contract.FeedbackUp], s.Kinds[contract.FeedbackDown])
	if s.Taken > 0 {
		p.Linef("of %s of which a hit was opened or got a thumb up, it was the first hit in %.0f %%; MRR %.2f",
			terminal.Plural(s.Taken, "answer", "answers"), 100*s.First, s.MRR)
	}
	if s.Shown > 0 {
		p.Linef("of %s shown, a hit was opened or got a thumb up in %.0f %%", terminal.Plural(s.Shown, "answer", "answers"), 100*float64(s.Followed)/float64(s.Shown))
	}
	return p.Err
}
