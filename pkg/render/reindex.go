package render

import (
	"fmt"
	"io"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// ReindexTakes says what it takes to make the index once more.
func ReindexTakes(r contract.ReindexReply) string {
	out := fmt.Sprintf("%s (%s) are cut again into about %s, of which %s keep their vectors; disk is needed twice until the former index is removed",
		terminal.Documents(r.Documents), terminal.Bytes(r.TextBytes), terminal.Plural(r.Passages, "passage", "passages"), terminal.Count(r.Vectors))
	if r.Seconds > 0 {
		out += ", and " + terminal.About(r.Seconds) + ", as fast as the last time"
	}
	return out
}

// ReindexQuestion is what a person is asked before it is done.
func ReindexQuestion(do string, c document.Collection) string {
	switch {
	case do == contract.ReindexRollback:
		return "Have the former index answer again?"
	case c != "":
		return "Make the index of " + string(c) + " once more?"
	}
	return "Make the index once more?"
}

// Reindex writes what answers, how far the next one is, and what there is to go back
// to.
func Reindex(w io.Writer, r contract.ReindexReply) error {
	p := &terminal.Printer{W: w}
	how := "as it was first made"
	if r.Again > 0 {
		how = "made again"
	}
	for _, c := range r.Collections {
		how += ", " + string(c) + " made again for itself"
	}
	p.Linef("answers are made of the index %s, %s, since %s", r.Serving, how, r.Since.Local().Format(time.DateTime))
	switch {
	case r.Next != "":
		p.Linef("another one is made: %s; %s of %s are searchable in it", r.Next, terminal.Count(r.Documents-r.Pending), terminal.Documents(r.Documents))
	case r.Begun != nil:
		p.Linef("another one was asked for at %s, and is not begun yet", r.Begun.Local().Format(time.DateTime))
	}
	if r.Former != "" && r.Former != r.Serving {
		p.Linef("the former one, %s, is there still: `freshet reindex rollback` has it answer again", r.Former)
	}
	return p.Err
}

// Reindexing tells how far an index is that is made.
type Reindexing struct {
	started time.Time
	pace    pace
}

// NewReindexing begins now.
func NewReindexing(now time.Time) *Reindexing { return &Reindexing{started: now} }

// Line is how far it is, and how long it takes at the rate of the last seconds.
func (p *Reindexing) Line(r contract.ReindexReply, now time.Time) string {
	passed := now.Sub(p.started)
	if r.Next == "" {
		return "the index is made once more  " + passed.Round(time.Second).String()
	}
	done := r.Documents - r.Pending
	line := fmt.Sprintf("the index is made once more  %s of %s", terminal.Count(done), terminal.Documents(r.Documents))
	if rate := p.pace.note(passed, done); rate > 0 && r.Pending > 0 {
		line += ", " + terminal.About(float64(r.Pending)/rate) + " left"
	}
	return line
}
