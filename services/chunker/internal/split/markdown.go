package split

import (
	"bytes"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// section is a part of a Markdown content that begins with its heading.
type section struct {
	start, end int // bytes
	level      int // of the heading, 0 before the first
	headings   []string
	blocks     []block
	bare       bool // nothing but the heading
}

// markdown cuts a content at its headings of the first three levels. The
// heading stays in the text; the path of headings is kept with every span. A
// section above the limit is cut further; fences and tables are not when they
// fit. Front matter is a header.
func markdown(text *Text, opt Options) []document.Span {
	c := cutter{text: text, limit: opt.Prose, overlap: opt.Overlap}
	return c.markdown()
}

// markdown cuts the whole content.
func (c *cutter) markdown() []document.Span {
	text := c.text
	m := reader{text: text}
	first := m.frontMatter()
	if first > 0 {
		if a, b, ok := text.trim(0, first-1); ok {
			c.section(text.Start(a), text.End(b), nil, nil)
			for i := range c.spans {
				c.spans[i].Kind = document.KindHeader
			}
		}
	}
	m.read(first)
	c.sections(m.sections)
	return c.spans
}

// sections cuts the sections of a content.
func (c *cutter) sections(all []section) {
	for i := range all {
		s := &all[i]
		if i > 0 {
			// A heading without text of its own introduces the next section.
			if up := all[i-1]; up.bare && up.level > 0 && up.level < s.level && c.fits(up.start, s.end) {
				s.start = up.start
			}
		}
	}
	for i, s := range all {
		if s.bare && i+1 < len(all) && all[i+1].start == s.start {
			continue
		}
		c.section(s.start, s.end, s.headings, s.blocks)
	}
}

// fits reports whether b[start:end] is one span.
func (c *cutter) fits(start, end int) bool { return c.reach(start, end) == end }

// reader finds the sections of a Markdown content, line by line.
type reader struct {
	text     *Text
	sections []section
	path     [3]string
	syntax   syntax // nil for Markdown
}

// frontMatter returns the line behind a leading "---" or "+++" block, or 0.
func (m *reader) frontMatter() int {
	if m.text.Lines() < 2 {
		return 0
	}
	mark := string(bytes.TrimRight(m.text.Line(0), " \t"))
	if mark != "---" && mark != "+++" {
		return 0
	}
	for i := 1; i < min(m.text.Lines(), 400); i++ {
		line := string(bytes.TrimRight(m.text.Line(i), " \t"))
		if line == mark || mark == "---" && line == "..." {
			return i + 1
		}
		if i == 1 && line == "" {
			return 0 // a thematic break
		}
	}
	return 0
}

func (m *reader) read(line int) {
	n := m.text.Lines()
	if line >= n {
		return
	}
	m.begin(line, 0, "")
	for line < n {
		s := &m.sections[len(m.sections)-1]
		switch end := m.block(line); {
		case end > line:
			s.blocks = append(s.blocks, block{m.text.Start(line), m.text.End(end - 1)})
			s.bare = false
			line = end
		default:
			level, title, lines := m.head(line)
			switch {
			case lines == 0:
				if !m.text.Blank(line) {
					s.bare = false
				}
				line++
			case level > 3:
				s.bare = false
				line += lines
			default:
				m.begin(line, level, title)
				line += lines
			}
		}
	}
	m.sections[len(m.sections)-1].end = len(m.text.Bytes)
}

func (m *reader) block(line int) int {
	if m.syntax != nil {
		return m.syntax.block(m.text, line)
	}
	return m.blockEnd(line)
}

func (m *reader) head(line int) (level int, title string, lines int) {
	if m.syntax != nil {
		return m.syntax.heading(m.text, line)
	}
	return m.heading(line)
}

// begin starts a section at a line.
func (m *reader) begin(line, level int, title string) {
	start := m.text.Start(line)
	if k := len(m.sections); k > 0 {
		m.sections[k-1].end = start
	}
	s := section{start: start, level: level, bare: true}
	if level > 0 {
		m.path[level-1] = title
		for i := level; i < len(m.path); i++ {
			m.path[i] = ""
		}
	}
	for _, h := range m.path {
		if h != "" {
			s.headings = append(s.headings, h)
		}
	}
	m.sections = append(m.sections, s)
}

// blockEnd returns the line behind a fenced block or a table that begins at
// line, or line itself. A fence that is never closed goes to the end.
func (m *reader) blockEnd(line int) int {
	text := m.text.Line(line)
	if char, width := fence(text); width > 0 {
		for i := line + 1; i < m.text.Lines(); i++ {
			inner := m.text.Line(i)
			if c, w := fence(inner); c == char && w >= width && len(bytes.Trim(inner, " \t"+string(rune(char)))) == 0 {
				return i + 1
			}
		}
		return m.text.Lines()
	}
	if bytes.IndexByte(text, '|') < 0 || line+1 >= m.text.Lines() || !delimiterRow(m.text.Line(line+1)) {
		return line
	}
	end := line + 2
	for end < m.text.Lines() && bytes.IndexByte(m.text.Line(end), '|') >= 0 {
		end++
	}
	return end
}

// fence returns the character and the length of a code fence.
func fence(line []byte) (byte, int) {
	trimmed := bytes.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 || len(trimmed) < 3 || trimmed[0] != '`' && trimmed[0] != '~' {
		return 0, 0
	}
	n := 0
	for n < len(trimmed) && trimmed[n] == trimmed[0] {
		n++
	}
	if n < 3 || trimmed[0] == '`' && bytes.IndexByte(trimmed[n:], '`') >= 0 {
		return 0, 0
	}
	return trimmed[0], n
}

// delimiterRow recognises the second line of a table: "|---|:--:|".
func delimiterRow(line []byte) bool {
	dashes := false
	for _, c := range line {
		switch c {
		case '-':
			dashes = true
		case '|', ':', ' ', '\t':
		default:
			return false
		}
	}
	return dashes && bytes.IndexByte(line, '|') >= 0
}

// heading reads a heading that begins at line; lines is 0 where there is none.
func (m *reader) heading(line int) (level int, title string, lines int) {
	text := m.text.Line(line)
	trimmed := bytes.TrimLeft(text, " ")
	if len(text)-len(trimmed) > 3 || len(trimmed) == 0 || trimmed[0] == '\t' {
		return 0, "", 0
	}
	if trimmed[0] == '#' {
		n := 0
		for n < len(trimmed) && trimmed[n] == '#' {
			n++
		}
		if n > 6 || n < len(trimmed) && trimmed[n] != ' ' && trimmed[n] != '\t' {
			return 0, "", 0
		}
		rest := bytes.TrimSpace(trimmed[n:])
		if closed := bytes.TrimRight(rest, "#"); len(closed) == 0 || closed[len(closed)-1] == ' ' {
			rest = closed
		}
		return n, titleOf(rest), 1
	}
	if line+1 >= m.text.Lines() {
		return 0, "", 0
	}
	if line > 0 && !m.text.Blank(line-1) && len(m.sections) > 0 && m.text.Start(line) != m.sections[len(m.sections)-1].start && !m.afterHeading(line) {
		return 0, "", 0 // the last line of a paragraph
	}
	switch trimmed[0] {
	case '-', '*', '>', '+', '|', '=':
		return 0, "", 0
	}
	under := bytes.TrimRight(m.text.Line(line+1), " \t")
	if len(under) < 2 || under[0] != '=' && under[0] != '-' || len(bytes.Trim(under, string(rune(under[0])))) > 0 {
		return 0, "", 0
	}
	if under[0] == '=' {
		return 1, titleOf(trimmed), 2
	}
	return 2, titleOf(trimmed), 2
}

// afterHeading reports whether the line before is a heading's or a comment's,
// so that a setext heading may follow without a blank line.
func (m *reader) afterHeading(line int) bool {
	before := bytes.TrimSpace(m.text.Line(line - 1))
	return len(before) > 0 && (before[0] == '#' || before[0] == '<' || len(bytes.Trim(before, "=-")) == 0)
}

// titleOf is the text of a heading, at most 160 bytes, as valid UTF-8.
func titleOf(b []byte) string {
	b = bytes.TrimSpace(b)
	if len(b) > 160 {
		b = b[:160]
	}
	return strings.ToValidUTF8(strings.TrimSpace(string(b)), "")
}
