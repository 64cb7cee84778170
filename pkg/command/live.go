package command

import "github.com/freshet-dev/freshet/pkg/terminal"

// Live is a line of a terminal that is written again and again, or nothing where
// there is no terminal. It is not safe for concurrent use.
type Live struct{ line *terminal.Line }

// Live returns the line of standard error.
func (p *Program) Live() Live {
	if !terminal.IsTerminal(p.Stderr) {
		return Live{}
	}
	line := terminal.NewLine(p.Stderr)
	return Live{&line}
}

// There reports whether there is a line to write.
func (l Live) There() bool { return l.line != nil }

// Text replaces the line.
func (l Live) Text(line string) {
	if l.line != nil {
		l.line.Text(line)
	}
}

// Clear takes the line away.
func (l Live) Clear() {
	if l.line != nil {
		l.line.Clear()
	}
}
