package report

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/freshet-dev/freshet/lab/mine"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Doing is a line of progress; a total of 0 is one that is not known.
func Doing(doing string, done, total int) string {
	if total == 0 {
		return doing + "  " + terminal.Count(done)
	}
	return fmt.Sprintf("%s  %s of %s", doing, terminal.Count(done), terminal.Count(total))
}

// TasksMade writes which tasks were made, what was left out and why, and what to
// do next. program is how freshet is called.
func TasksMade(w io.Writer, s terminal.Style, r mine.Report, program string) error {
	p := &terminal.Printer{W: w}
	p.Linef("%s  %s, %s", s.Bold(terminal.Printable(r.Out)), terminal.Documents(r.Files), terminal.Bytes(r.Bytes))
	if r.LeftOut > 0 {
		p.Linef("%s taken out of the corpus, so that what they answer has no answer", terminal.Plural(r.LeftOut, "document", "documents"))
	}
	p.Linef("")
	p.Linef("%s", s.Bold("made"))
	onCorpus, onCommits := 0, 0
	p.Columns(false, func(t *terminal.Printer) {
		for _, m := range r.Made {
			t.Linef("  %s\t%s\t%s", m.Kind, terminal.Printable(m.Language), terminal.Plural(m.Tasks, "task", "tasks"))
			if m.Kind == mine.KindCommit {
				onCommits += m.Tasks
			} else {
				onCorpus += m.Tasks
			}
		}
	})
	if len(r.Left) > 0 {
		p.Linef("")
		p.Linef("%s", s.Bold("looked at and left out, because it"))
		p.Columns(false, func(t *terminal.Printer) {
			for _, l := range r.Left {
				t.Linef("  %s\t%s\t%s", l.Kind, terminal.Count(l.Count), terminal.Printable(l.Reason))
			}
		})
	}
	p.Linef("")
	for _, note := range r.Notes {
		p.Linef("%s", terminal.Printable(note))
	}
	if onCorpus > 0 {
		p.Linef("ask them: %s eval %s --index %s", program, filepath.Join(r.Out, mine.TasksFile), filepath.Join(r.Out, mine.CorpusFolder))
	}
	if onCommits > 0 {
		p.Linef("ask at each commit's parent: %s eval %s --index %s", program, filepath.Join(r.Out, mine.CommitsFile), r.Sources[0])
	}
	if onCorpus+onCommits == 0 {
		p.Linef("nothing here asks a question that it answers: name a folder with documented code or with prose")
	}
	return p.Err
}
