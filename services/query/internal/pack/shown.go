package pack

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/terminal"
)

// shown is what a text has of a passage: clean lines, and where some of them are left
// out between two runs of them, how many.
type shown struct {
	above      string
	head, tail string
	gap        int // lines that are left out before tail, or at the end where there is none
	cut        bool
	start, end int // lines of the passage
}

// text is what is shown without the line above.
func (s shown) text() string { return s.head + s.tail }

// shown returns as much of the passage as is to be seen.
func (it *item) shown() shown {
	text, s := it.Text, shown{start: it.StartLine, end: it.EndLine}
	if it.level > 0 {
		w := it.Wider[it.level-1]
		text, s.start, s.end = w.Text, w.StartLine, w.EndLine
	}
	if it.above {
		s.above = terminal.Shorten(terminal.Printable(strings.TrimSpace(strings.ReplaceAll(it.Above, "\n", " "))), nameMost)
	}
	s.head = Clean(text)
	if it.compact {
		s.head, s.tail, s.gap = Compact(s.head)
		s.cut = s.tail != ""
	}
	if len(s.head)+len(s.tail) <= it.most {
		return s
	}
	all := s.head + s.tail
	end := borderBefore(all, it.most)
	s.gap += strings.Count(all[end:], "\n")
	s.head, s.tail, s.cut = all[:end], "", true
	return s
}

// long reports whether compacting makes a passage shorter.
func (it *item) long() bool {
	return utf8.RuneCount(it.Text) > CompactHead+CompactTail
}

// Clean is a text as it may be shown: valid UTF-8, without a carriage return at the
// end of a line, and with nothing in it that steers a terminal, is invisible or changes
// the direction.
func Clean(text []byte) string {
	valid := strings.ToValidUTF8(string(text), "\uFFFD")
	return terminal.PrintableLines(strings.ReplaceAll(strings.TrimRight(valid, "\r\n"), "\r\n", "\n"))
}

// What is left of a passage that is compacted, in characters.
const (
	CompactHead = 1200
	CompactTail = 300
)

// Compact returns the beginning and the end of a text, and how many line breaks stand
// between. Both end at the border of a line where one is in the half towards it, else
// of a sentence, else of a character. A text that is not longer than both comes back
// whole as head.
func Compact(text string) (head, tail string, gap int) {
	if utf8.RuneCountInString(text) <= CompactHead+CompactTail {
		return text, "", 0
	}
	head = text[:borderBefore(text, runes(text, CompactHead))]
	tail = text[borderAfter(text, len(text)-runesBack(text, CompactTail)):]
	return head, tail, strings.Count(text[len(head):len(text)-len(tail)], "\n")
}

// runes is the length in bytes of the first n characters of a text.
func runes(text string, n int) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// runesBack is the length in bytes of the last n characters of a text.
func runesBack(text string, n int) int {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return len(text) - at
}

// borderBefore is the last border in the second half of the first n bytes of a text.
func borderBefore(text string, n int) int {
	n = max(min(n, len(text)), 0)
	if n == len(text) {
		return n
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if at := strings.LastIndexByte(text[:n], '\n'); at >= n/2 && at > 0 {
		return at + 1
	}
	for at := n; at > n/2 && at > 1; at-- {
		if text[at-1] == ' ' && isEnd(text[at-2]) {
			return at
		}
	}
	return n
}

// borderAfter is the first border in the first half of what stands behind n bytes.
func borderAfter(text string, n int) int {
	half := n + (len(text)-n)/2
	if at := strings.IndexByte(text[n:half], '\n'); at >= 0 {
		return n + at + 1
	}
	for at := n + 2; at < half; at++ {
		if text[at-1] == ' ' && isEnd(text[at-2]) {
			return at
		}
	}
	return n
}

func isEnd(c byte) bool { return c == '.' || c == '!' || c == '?' }

// How much of a path or a name a citation has, in characters.
const (
	pathMost = 160
	nameMost = 120
)

// Cite says where a passage stands, in one line: file → heading or symbol, lines,
// score.
func Cite(path, name string, start, end int, score float64) string {
	return cited(line(path, pathMost), line(name, nameMost), start, end, score)
}

func cited(path, name string, start, end int, score float64) string {
	if name != "" {
		path += " → " + name
	}
	return fmt.Sprintf("%s, %s, score %s", path, lines(start, end), number(score))
}

// line is a text of one line that cannot steer anything.
func line(text string, most int) string {
	return terminal.Shorten(terminal.Printable(strings.ToValidUTF8(text, "\uFFFD")), most)
}

func lines(start, end int) string {
	if start == end {
		return "line " + strconv.Itoa(start)
	}
	return "lines " + strconv.Itoa(start) + "-" + strconv.Itoa(end)
}

// number has as many digits as tell something.
func number(score float64) string { return strconv.FormatFloat(score, 'g', 3, 64) }
