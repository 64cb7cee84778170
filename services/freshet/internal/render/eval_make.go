package render

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/freshet-dev/freshet/services/freshet/internal/eval/mine"
)

// Doing is a line of progress; a total of 0 is one that is not known.
func Doing(doing string, done, total int) string {
	if total == 0 {
		return doing + "  " + count(done)
	}
	return fmt.Sprintf("%s  %s of %s", doing, count(done), count(total))
}

// TasksMade writes which tasks were made, what was left out and why, and what to
// do next. program is how freshet is called.
func TasksMade(w io.Writer, s Style, r mine.Report, program string) error {
	p := &printer{w: w}
	p.linef("%s  %s, %s", s.bold(printable(r.Out)), Documents(r.Files), bytes(r.Bytes))
	if r.LeftOut > 0 {
		p.linef("%s taken out of the corpus, so that what they answer has no answer", plural(r.LeftOut, "document", "documents"))
	}
	p.linef("")
	p.linef("%s", s.bold("made"))
	onCorpus, onCommits := 0, 0
	p.columns(false, func(t *printer) {
		for _, m := range r.Made {
			t.linef("  %s\t%s\t%s", m.Kind, printable(m.Language), plural(m.Tasks, "task", "tasks"))
			if m.Kind == mine.KindCommit {
				onCommits += m.Tasks
			} else {
				onCorpus += m.Tasks
			}
		}
	})
	if len(r.Left) > 0 {
		p.linef("")
		p.linef("%s", s.bold("looked at and left out, because it"))
		p.columns(false, func(t *printer) {
			for _, l := range r.Left {
				t.linef("  %s\t%s\t%s", l.Kind, count(l.Count), printable(l.Reason))
			}
		})
	}
	p.linef("")
	for _, note := range r.Notes {
		p.linef("%s", printable(note))
	}
	if onCorpus > 0 {
		p.linef("ask them: %s eval %s --index %s", program, filepath.Join(r.Out, mine.TasksFile), filepath.Join(r.Out, mine.CorpusFolder))
	}
	if onCommits > 0 {
		p.linef("ask at each commit's parent: %s eval %s --index %s", program, filepath.Join(r.Out, mine.CommitsFile), r.Sources[0])
	}
	if onCorpus+onCommits == 0 {
		p.linef("nothing here asks a question that it answers: name a folder with documented code or with prose")
	}
	return p.err
}
