package remote

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Progress is the progress line of a terminal, or nothing.
type Progress struct{ line *render.Progress }

// ProgressOn returns the progress line of standard error.
func ProgressOn(p *command.Program) Progress {
	if !terminal.IsTerminal(p.Stderr) {
		return Progress{}
	}
	return Progress{render.NewProgress(p.Stderr, time.Now())}
}

// There reports whether there is a line to write.
func (l Progress) There() bool { return l.line != nil }

// Say shows what is done with so many documents and bytes.
func (l Progress) Say(doing string, documents int, bytes int64) {
	if l.line != nil {
		l.line.Say(doing, documents, bytes, time.Now())
	}
}

// Show shows how far the instance is.
func (l Progress) Show(st contract.StatusReply) {
	if l.line != nil {
		l.line.Show(st, time.Now())
	}
}

// Text shows a line of the caller's own.
func (l Progress) Text(line string) {
	if l.line != nil {
		l.line.Text(line)
	}
}

// Clear takes the line away.
func (l Progress) Clear() {
	if l.line != nil {
		l.line.Clear()
	}
}
