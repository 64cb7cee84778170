package render

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// progressWidth keeps the line on one row of any usual terminal, in which it
// could not be replaced otherwise.
const progressWidth = 100

// Progress is one line on a terminal that is written again and again. It is
// not safe for concurrent use.
type Progress struct {
	w       io.Writer
	started time.Time
	shown   bool
}

// NewProgress returns a Progress that writes to a terminal.
func NewProgress(w io.Writer, started time.Time) *Progress {
	return &Progress{w: w, started: started}
}

// Show replaces the line. Errors of the terminal are of no interest.
func (p *Progress) Show(st contract.StatusReply, now time.Time) {
	p.Text(progressLine(st, now.Sub(p.started)))
}

// Text replaces the line by another one.
func (p *Progress) Text(line string) {
	p.shown = true
	_, _ = fmt.Fprint(p.w, "\r\x1b[K", shorten(line, progressWidth))
}

// Say replaces the line by what is done with documents before an instance runs.
func (p *Progress) Say(doing string, documents int, size int64, now time.Time) {
	p.shown = true
	_, _ = fmt.Fprintf(p.w, "\r\x1b[K%s  %ds  %s  %s", doing, int(now.Sub(p.started).Seconds()), Documents(documents), bytes(size))
}

// Clear takes the line away.
func (p *Progress) Clear() {
	if p.shown {
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

func progressLine(st contract.StatusReply, elapsed time.Duration) string {
	verb := "indexing"
	var found int
	var size int64
	for _, s := range st.Sources {
		if s.Watched {
			found += s.Documents
			size += s.Bytes
		}
		if s.Scanning {
			verb = "reading"
		}
	}
	parts := []string{
		fmt.Sprintf("%s  %ds", verb, int(elapsed.Seconds())),
		plural(found, "document", "documents"),
		bytes(size),
		plural(st.Chunks, "passage", "passages"),
	}
	var waiting []string
	for _, stage := range contract.Stages {
		if n := st.Pending[stage]; n > 0 {
			// The lexical and the vector indexer are told apart by their sink.
			waiting = append(waiting, strings.TrimPrefix(string(stage), "indexer-")+" "+count(n))
		}
	}
	if len(waiting) > 0 {
		parts = append(parts, "waiting: "+strings.Join(waiting, ", "))
	}
	return strings.Join(parts, "  ")
}
