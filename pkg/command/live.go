package command

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/terminal"
)

// liveEvery is the time between two texts of Sometimes.
const liveEvery = 100 * time.Millisecond

// Live is a line of a terminal that is written again and again, or nothing where
// there is no terminal. It is not safe for concurrent use.
type Live struct {
	line *terminal.Line
	said time.Time // by Sometimes
}

// Live returns the line of standard error.
func (p *Program) Live() *Live {
	if !terminal.IsTerminal(p.Stderr) {
		return &Live{}
	}
	line := terminal.NewLine(p.Stderr)
	return &Live{line: &line}
}

// There reports whether there is a line to write.
func (l *Live) There() bool { return l.line != nil }

// Text replaces the line.
func (l *Live) Text(line string) {
	if l.line != nil {
		l.line.Text(line)
	}
}

// Sometimes replaces the line, unless it did a moment ago.
func (l *Live) Sometimes(line func() string) {
	if now := time.Now(); l.line != nil && now.Sub(l.said) > liveEvery {
		l.said = now
		l.line.Text(line())
	}
}

// Clear takes the line away.
func (l *Live) Clear() {
	if l.line != nil {
		l.line.Clear()
	}
}
