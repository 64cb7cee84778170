package terminal

import (
	"os"

	"golang.org/x/term"
)

// Style says how text may be decorated, and how wide it may be. The zero Style
// is plain, and as wide as it is.
type Style struct {
	colour  bool
	links   bool
	columns int // of the terminal; 0 for what is none
}

// StyleFor returns the width of a terminal, and colours but where NO_COLOR is
// set (no-color.org) or the terminal is dumb. For everything else it is plain.
func StyleFor(f *os.File) Style {
	if !IsTerminal(f) {
		return Style{}
	}
	return Style{colour: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", links: knowsLinks(os.Getenv), columns: WidthOf(f)()}
}

// Within is how many characters a line may have beside so many before it, and
// most in any case.
func (s Style) Within(beside, most int) int {
	if s.columns == 0 {
		return most
	}
	return max(min(most, s.columns-beside), 1)
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

// Path decorates the path of a file.
func (s Style) Path(t string) string { return s.wrap("35", t) }

// Symbol decorates the name of a definition.
func (s Style) Symbol(t string) string { return s.wrap("1;36", t) }

// Number decorates a line number or a figure.
func (s Style) Number(t string) string { return s.wrap("32", t) }

// Match decorates what was looked for.
func (s Style) Match(t string) string { return s.wrap("1;31", t) }

// Faint decorates what is read last.
func (s Style) Faint(t string) string { return s.wrap("2", t) }

// Bold decorates what is read first.
func (s Style) Bold(t string) string { return s.wrap("1", t) }

// Bad decorates what went wrong.
func (s Style) Bad(t string) string { return s.wrap("31", t) }

// Good decorates what went well.
func (s Style) Good(t string) string { return s.wrap("32", t) }
