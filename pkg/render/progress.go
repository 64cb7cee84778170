package render

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Progress is one line on a terminal that is written again and again, as wide
// as the terminal is at that moment. It is not safe for concurrent use.
type Progress struct {
	terminal.Line
	started time.Time
	pace    pace
}

// NewProgress returns a Progress that writes to a terminal.
func NewProgress(w io.Writer, started time.Time) *Progress {
	return &Progress{Line: terminal.NewLine(w), started: started}
}

// Show replaces the line. Errors of the terminal are of no interest.
func (p *Progress) Show(st contract.StatusReply, now time.Time) {
	p.Parts(p.pace.line(st, now.Sub(p.started)))
}

// Say replaces the line by what is done with documents before an instance runs.
func (p *Progress) Say(doing string, documents int, size int64, now time.Time) {
	p.Parts([]string{fmt.Sprintf("%s  %s", doing, passed(now.Sub(p.started))), terminal.Documents(documents), terminal.Bytes(size)})
}

// progress is what a status says of how far an index is.
type progress struct {
	reading bool // not everything is found yet
	found   int  // documents of the watched sources
	size    int64
	waiting int // of them, not searchable yet in their newest version
}

func progressOf(st contract.StatusReply) progress {
	var p progress
	for _, s := range st.Sources {
		if s.Watched {
			p.found += s.Documents
			p.size += s.Bytes
		}
		p.reading = p.reading || s.Scanning
	}
	// A document may wait for both engines, but for one stage of each only.
	p.waiting = st.Pending[contract.StageChunker] +
		max(st.Pending[contract.StageLexical], st.Pending[contract.StageEmbed]+st.Pending[contract.StageVector])
	p.waiting = min(p.waiting, p.found)
	return p
}

// pace is how fast documents became searchable of late.
type pace struct {
	seen []moment
}

type moment struct {
	at   time.Duration // since the start
	done int
}

// paceWindow is the time over which the rate is taken: long enough for an even
// figure, short enough to follow when small files come after large ones.
const paceWindow = 10 * time.Second

// note takes up how many documents are done, and returns how many become so in
// a second, 0 where that is not known yet.
func (p *pace) note(at time.Duration, done int) float64 {
	p.seen = append(p.seen, moment{at, done})
	for len(p.seen) > 2 && at-p.seen[0].at > paceWindow {
		p.seen = p.seen[1:]
	}
	first := p.seen[0]
	if at-first.at < time.Second || done <= first.done {
		return 0
	}
	return float64(done-first.done) / (at - first.at).Seconds()
}

// line is what is told, the most telling first.
func (p *pace) line(st contract.StatusReply, elapsed time.Duration) []string {
	s := progressOf(st)
	rate := p.note(elapsed, s.found-s.waiting)
	parts := []string{"reading  " + passed(elapsed), terminal.Plural(s.found, "document", "documents") + " found"}
	if !s.reading {
		done := s.found - s.waiting
		parts = []string{"indexing  " + passed(elapsed), fmt.Sprintf("%d %%", percent(done, s.found)), fmt.Sprintf("%s of %s", terminal.Count(done), terminal.Plural(s.found, "document", "documents"))}
	}
	if rate > 0 {
		parts = append(parts, fmt.Sprintf("%s a second", terminal.Count(int(rate+0.5))))
		if !s.reading && s.waiting > 0 {
			parts = append(parts, terminal.About(float64(s.waiting)/rate)+" left")
		}
	}
	return append(parts, terminal.Bytes(s.size), terminal.Plural(st.Chunks, "passage", "passages"))
}

// percent is in whole per cent, and 100 only where nothing is left.
func percent(done, of int) int {
	if of == 0 {
		return 0
	}
	return done * 100 / of
}

// passed writes a time as people say it, to the second: 42 s, 3 min 5 s, 2 h 4 min.
func passed(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	switch {
	case seconds < 60:
		return fmt.Sprintf("%d s", seconds)
	case seconds < 3600:
		return strings.TrimSuffix(fmt.Sprintf("%d min %d s", seconds/60, seconds%60), " 0 s")
	}
	return fmt.Sprintf("%d h %d min", seconds/3600, seconds/60%60)
}
