package split

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/document"
)

// syntax is how a language of prose writes headings, and what of it has none.
type syntax interface {
	// heading reads a heading that begins at a line; lines is 0 where there is none.
	heading(text *Text, line int) (level int, title string, lines int)
	// block is the line behind what is no prose at a line, or the line itself.
	block(text *Text, line int) int
}

// headed cuts prose at its headings of the first three levels, as Markdown is.
func headed(text *Text, s syntax, opt Options) []document.Span {
	c := cutter{text: text, limit: opt.Prose, overlap: opt.Overlap}
	return c.headed(s)
}

// headed cuts the whole content at the headings of a syntax.
func (c *cutter) headed(s syntax) []document.Span {
	m := reader{text: c.text, syntax: s}
	m.read(0)
	c.sections(m.sections)
	return c.spans
}

// restructured is reStructuredText: a heading has a line of one sign below it, or one
// above it, too. The order in which they come is that of the levels.
type restructured struct {
	styles []string
}

func (r *restructured) heading(text *Text, line int) (level int, title string, lines int) {
	first := text.Line(line)
	var style string
	switch {
	case ruled(first) > 0 && line+2 < text.Lines() && ruled(text.Line(line+2)) == ruled(first) && first[0] == text.Line(line + 2)[0] && !text.Blank(line+1) && ruled(text.Line(line+1)) == 0:
		title, style, lines = titleOf(text.Line(line+1)), string(first[:1])+"^", 3
		if utf8.RuneCount(trimSpace(text.Line(line+1))) > ruled(first) {
			return 0, "", 0
		}
	case indentOf(first) == 0 && ruled(first) == 0 && line+1 < text.Lines() && ruled(text.Line(line+1)) >= max(2, utf8.RuneCount(bytes.TrimRight(first, " \t"))) && (line == 0 || text.Blank(line-1) || target(text.Line(line-1))):
		title, style, lines = titleOf(first), string(text.Line(line + 1)[:1]), 2
	default:
		return 0, "", 0
	}
	level = slices.Index(r.styles, style) + 1
	if level == 0 {
		r.styles = append(r.styles, style)
		level = len(r.styles)
	}
	return level, title, lines
}

// ruled is the length of a line of one sign, 0 for another line.
func ruled(line []byte) int {
	line = bytes.TrimRight(line, " \t")
	if len(line) < 2 || !strings.ContainsRune("=-`:.'\"~^_*+#", rune(line[0])) || len(bytes.Trim(line, string(rune(line[0])))) > 0 {
		return 0
	}
	return len(line)
}

// target reports whether a line is the directive or the name of a place above a heading.
func target(line []byte) bool { return bytes.HasPrefix(line, []byte(".. ")) }

func (r *restructured) block(_ *Text, line int) int { return line }

// marks are the lines at which blocks may end, by what ends them, in order. They are
// looked up once, since a block that nobody ends would be followed to the end of the
// content from each of its beginnings.
type marks map[string][]int

func marksOf(text *Text, of func(line []byte) string) marks {
	m := marks{}
	for i := range text.Lines() {
		if mark := of(text.Line(i)); mark != "" {
			m[mark] = append(m[mark], i)
		}
	}
	return m
}

// behind is the line behind the first one after line that has the mark, or line itself
// where none has it. Lines are asked for in order.
func (m marks) behind(mark string, line int) int {
	lines := m[mark]
	for len(lines) > 0 && lines[0] <= line {
		lines = lines[1:]
	}
	m[mark] = lines
	if len(lines) == 0 {
		return line // never closed: it is none
	}
	return lines[0] + 1
}

// asciiDoc is AsciiDoc: equals signs before a heading, as many as its level.
type asciiDoc struct {
	marks marks
}

func (*asciiDoc) heading(text *Text, line int) (level int, title string, lines int) {
	b := text.Line(line)
	n := 0
	for n < len(b) && n < 7 && b[n] == '=' {
		n++
	}
	if n == 0 || n > 6 || n == len(b) || b[n] != ' ' {
		return 0, "", 0
	}
	title = titleOf(bytes.TrimRight(trimSpace(b[n:]), "="))
	if title == "" {
		return 0, "", 0
	}
	return n, title, 1
}

func (a *asciiDoc) block(text *Text, line int) int {
	mark := delimiter(text.Line(line))
	if mark == "" {
		return line
	}
	if a.marks == nil {
		a.marks = marksOf(text, func(line []byte) string {
			if mark := delimiter(line); mark != "```" || len(trimSpace(line)) == 3 {
				return mark
			}
			return "" // begins a block in a language
		})
	}
	return a.marks.behind(mark, line)
}

// delimiter is the mark of a line that begins or ends a block, "" for another line.
func delimiter(line []byte) string {
	mark := bytes.TrimRight(line, " \t")
	switch {
	case len(mark) < 2:
	case bytes.HasPrefix(mark, []byte("```")):
		return "```"
	case string(mark) == "|===", string(mark) == "--",
		len(mark) >= 4 && bytes.IndexByte([]byte("-.=*_+/"), mark[0]) >= 0 && len(bytes.Trim(mark, string(mark[:1]))) == 0:
		return string(mark)
	}
	return ""
}

// org is Org: stars before a heading, as many as its level.
type org struct {
	marks marks
}

func (*org) heading(text *Text, line int) (level int, title string, lines int) {
	b := text.Line(line)
	n := 0
	for n < len(b) && b[n] == '*' {
		n++
	}
	if n == 0 || n == len(b) || b[n] != ' ' {
		return 0, "", 0
	}
	t := trimSpace(b[n:])
	for _, word := range []string{"TODO ", "DONE "} {
		t = bytes.TrimPrefix(t, []byte(word))
	}
	if len(t) > 4 && t[0] == '[' && t[1] == '#' && t[3] == ']' {
		t = trimSpace(t[4:])
	}
	if t[max(0, len(t)-1)] == ':' { // tags
		if i := bytes.LastIndexByte(t, ' '); i >= 0 && i+1 < len(t) && t[i+1] == ':' {
			t = trimSpace(t[:i])
		}
	}
	return n, titleOf(t), 1
}

func (o *org) block(text *Text, line int) int {
	name := bracket(text.Line(line), "#+begin_")
	if name == "" {
		return line
	}
	if o.marks == nil {
		o.marks = marksOf(text, func(line []byte) string { return bracket(line, "#+end_") })
	}
	return o.marks.behind(name, line)
}

// bracket is the kind of block that a line begins or ends with a prefix, "" for none.
func bracket(line []byte, prefix string) string {
	b := trimSpace(line)
	if len(b) <= len(prefix) || !strings.EqualFold(string(b[:len(prefix)]), prefix) {
		return ""
	}
	name := b[len(prefix):]
	return strings.ToLower(string(name[:wordLen(name)]))
}

// roff are manual pages, by the requests of both families of macros.
type roff struct{}

func (roff) heading(text *Text, line int) (level int, title string, lines int) {
	b := text.Line(line)
	if len(b) < 5 || b[0] != '.' {
		return 0, "", 0
	}
	request, rest := string(b[1:3]), b[3:]
	if rest[0] != ' ' && rest[0] != '\t' {
		return 0, "", 0
	}
	title = titleOf(bytes.ReplaceAll(bytes.ReplaceAll(rest, []byte(`"`), nil), []byte(`\-`), []byte("-")))
	if title == "" {
		return 0, "", 0
	}
	switch request {
	case "TH", "Dt":
		words := strings.Fields(title)
		if len(words) > 1 {
			return 1, words[0] + "(" + words[1] + ")", 1
		}
		return 1, title, 1
	case "SH", "Sh":
		return 2, title, 1
	case "SS", "Ss":
		return 3, title, 1
	}
	return 0, "", 0
}

func (roff) block(_ *Text, line int) int { return line }
