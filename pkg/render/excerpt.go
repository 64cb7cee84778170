package render

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// margin stands before each line of a passage.
const margin = "    "

// ellipsis is what stands for a part of a line that is left out, and for lines.
const ellipsis = "…"

// piece is a part of a line: a match, or what stands between two.
type piece struct {
	text    string
	matches bool
}

// writeText writes the lines of a hit that hold something, without their common
// indentation, with what matches in them. They are at most as wide as width.
func writeText(w io.Writer, s terminal.Style, h contract.Hit, width int) error {
	p := &terminal.Printer{W: w}
	lines := piecesOf(h)
	indent := commonIndent(h, lines)
	for i, line := range lines {
		if !elides(h, i) {
			line[0].text = line[0].text[min(indent, len(line[0].text)):]
		}
		var b strings.Builder
		for _, part := range within(line, width) {
			if part.matches {
				b.WriteString(s.Match(part.text))
			} else {
				b.WriteString(s.Faint(part.text))
			}
		}
		if b.Len() > 0 {
			p.Linef("%s", margin+b.String())
		}
	}
	return p.Err
}

// elides reports whether a line of an excerpt stands for others.
func elides(h contract.Hit, line int) bool { return line < len(h.Lines) && h.Lines[line] == 0 }

// piecesOf takes the lines of a text apart; each has a first piece that is no
// match. Tabs are two spaces.
func piecesOf(h contract.Hit) [][]piece {
	var lines [][]piece
	at, matches := 0, h.Matches
	for line := range strings.Lines(h.Text) {
		end := at + len(strings.TrimRightFunc(line, unicode.IsSpace))
		pieces := []piece{{}}
		add := func(from, to int, match bool) {
			text := terminal.Printable(strings.ReplaceAll(h.Text[from:to], "\t", "  "))
			switch {
			case text == "":
			case len(pieces) == 1 && pieces[0].text == "" && !match:
				pieces[0].text = text
			default:
				pieces = append(pieces, piece{text, match})
			}
		}
		from := at
		for len(matches) > 0 && matches[0].Start < end {
			m := matches[0]
			matches = matches[1:]
			if m.Start < from || m.End > end || m.End <= m.Start {
				continue // of another text
			}
			add(from, m.Start, false)
			add(m.Start, m.End, true)
			from = m.End
		}
		add(from, max(from, end), false)
		lines = append(lines, pieces)
		at += len(line)
	}
	return lines
}

// commonIndent is how many spaces all lines begin with that hold something.
func commonIndent(h contract.Hit, lines [][]piece) int {
	least := -1
	for i, line := range lines {
		if elides(h, i) || len(line) == 1 && line[0].text == "" {
			continue
		}
		if n := len(line[0].text) - len(strings.TrimLeft(line[0].text, " ")); least < 0 || n < least {
			least = n
		}
	}
	return max(least, 0)
}

// within cuts a line to a width, so that its first match is seen: at its end, and
// at its beginning where that match stands behind the width.
func within(line []piece, width int) []piece {
	if lengthOf(line) <= width {
		return line
	}
	before := 0
	for i, p := range line {
		if p.matches && before+utf8.RuneCountInString(p.text) > width-1 {
			skip := before - max(width/3, 1)
			line = append([]piece{{text: ellipsis}}, behind(line, skip)...)
		}
		if p.matches || i == len(line)-1 {
			break
		}
		before += utf8.RuneCountInString(p.text)
	}
	if lengthOf(line) <= width {
		return line
	}
	var out []piece
	left := width - 1
	for _, p := range line {
		runes := []rune(p.text)
		if len(runes) > left {
			return append(out, piece{string(runes[:left]), p.matches}, piece{text: ellipsis})
		}
		out, left = append(out, p), left-len(runes)
	}
	return out
}

// behind leaves so many characters of a line out.
func behind(line []piece, skip int) (out []piece) {
	for _, p := range line {
		runes := []rune(p.text)
		n := min(max(skip, 0), len(runes))
		out, skip = append(out, piece{string(runes[n:]), p.matches}), skip-n
	}
	return out
}

func lengthOf(line []piece) (n int) {
	for _, p := range line {
		n += utf8.RuneCountInString(p.text)
	}
	return n
}
