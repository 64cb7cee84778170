package mcpserver

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/terminal"
)

// widest is how many bytes of one line of a document an answer shows.
const widest = 400

// framed is a line of a document as an answer shows it: its number, a bar, and its
// text. No text can get out of that: a line has no line break, nothing in it steers
// a terminal, is invisible or changes the direction, and every line has its number.
func framed(number int, text string) string {
	if number == 0 {
		return "…"
	}
	return strconv.Itoa(number) + "| " + text
}

// clean is the text of one line that can be shown, and whether that is all of it as
// it stands.
func clean(line string) (text string, whole bool) {
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	text = terminal.PrintableLines(strings.ToValidUTF8(strings.ReplaceAll(line, "\n", " "), "\uFFFD"))
	return text, text == line
}

// around cuts a long line to what stands at the bytes from start to end, and says
// how much is left out.
func around(line string, start, end int) string {
	if len(line) <= widest {
		return line
	}
	start, end = min(max(start, 0), len(line)), min(max(end, start), len(line))
	from := max(min(start-(widest-(end-start))/2, len(line)-widest), 0)
	if end-start > widest {
		from = start
	}
	to := min(from+widest, len(line))
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to--
	}
	out := line[from:to]
	if from > 0 {
		out = "…(" + strconv.Itoa(from) + " bytes) " + out
	}
	if to < len(line) {
		out += " …(" + strconv.Itoa(len(line)-to) + " bytes)"
	}
	return out
}

// part is one line of an answer, below a heading that stands once above those that
// have the same.
type part struct {
	of   int    // which hit, file or entry it belongs to
	head string // empty: none
	line string // empty: the heading alone
}

// write writes parts, and notes behind them.
func write(parts []part, notes []string) string {
	var b strings.Builder
	for i, p := range parts {
		if p.head != "" && (i == 0 || parts[i-1].of != p.of) {
			b.WriteString(p.head + "\n")
		}
		if p.line != "" {
			b.WriteString(p.line + "\n")
		}
	}
	for _, n := range notes {
		b.WriteString("- " + n + "\n")
	}
	return b.String()
}
