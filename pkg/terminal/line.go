package terminal

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Line is one line on a terminal that is written again and again, as wide as the
// terminal is at that moment. Errors of the terminal are of no interest. It is not
// safe for concurrent use.
type Line struct {
	w     io.Writer
	width func() int
	shown bool
}

// NewLine returns a Line that writes to a terminal.
func NewLine(w io.Writer) Line { return Line{w: w, width: WidthOf(w)} }

// Text replaces the line by another one.
func (l *Line) Text(line string) { l.Parts([]string{line}) }

// Parts replaces the line by as many parts as fit, the first in any case.
// The last column stays free: some terminals wrap as soon as it is written.
func (l *Line) Parts(parts []string) {
	l.shown = true
	room := max(l.width()-1, 1)
	text := parts[0]
	for _, part := range parts[1:] {
		if len([]rune(text))+2+len([]rune(part)) > room {
			break
		}
		text += "  " + part
	}
	_, _ = fmt.Fprint(l.w, "\r\x1b[K", Shorten(text, room))
}

// Clear takes the line away.
func (l *Line) Clear() {
	if l.shown {
		_, _ = fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = false
	}
}

// usualWidth is that of a terminal that does not tell its own.
const usualWidth = 80

// WidthOf asks a terminal for its columns each time, since a person may resize
// its window.
func WidthOf(w io.Writer) func() int {
	return func() int {
		if f, ok := w.(*os.File); ok {
			if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
				return columns
			}
		}
		return usualWidth
	}
}
