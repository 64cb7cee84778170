package render

import (
	"os"

	"golang.org/x/term"
)

// Style says how text may be decorated. The zero Style is plain.
type Style struct{ colour bool }

// StyleFor returns colours for a terminal, and plain text for everything else,
// where NO_COLOR is set (no-color.org), or where the terminal is dumb.
func StyleFor(f *os.File) Style {
	return Style{colour: IsTerminal(f) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// Coloured returns a Style with colours.
func Coloured() Style { return Style{colour: true} }

// IsTerminal reports whether a person looks at f.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func (s Style) wrap(code, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s Style) path(t string) string   { return s.wrap("35", t) }
func (s Style) symbol(t string) string { return s.wrap("1;36", t) }
func (s Style) number(t string) string { return s.wrap("32", t) }
func (s Style) faint(t string) string  { return s.wrap("2", t) }
func (s Style) bold(t string) string   { return s.wrap("1", t) }
func (s Style) bad(t string) string    { return s.wrap("31", t) }
func (s Style) good(t string) string   { return s.wrap("32", t) }
