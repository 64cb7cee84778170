package extract

import (
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Flow writes the text of a document that is read from its beginning to its end: its
// headings, paragraphs, lists and tables as Markdown has them, a section for each of the
// first three levels of headings.
type Flow struct {
	b     *Builder
	path  Path
	text  strings.Builder
	bare  bool // nothing in the section but headings
	items bool // the last block is a list
	parts []document.Located
}

// NewFlow returns a Flow of at most limit bytes.
func NewFlow(limit int) *Flow { return &Flow{b: NewBuilder(limit), bare: true} }

// deep is the level of headings below which no section begins.
const deep = 3

// Title notes the title of the document.
func (f *Flow) Title(title string) { f.b.Title(title) }

// Nameless says that the first heading is no title of the document, which has none unless
// it is noted.
func (f *Flow) Nameless() { f.b.nameless = true }

// Full reports whether there is more than the limit.
func (f *Flow) Full() bool { return f.b.Full() || f.text.Len() > f.b.limit }

// Headings are those that what comes next stands under. They may be kept.
func (f *Flow) Headings() []string { return f.path.Titles() }

// Part says which part of the document comes next; the zero one is none.
func (f *Flow) Part(p document.Part) {
	f.closePart()
	if p == (document.Part{}) {
		return
	}
	f.parts = append(f.parts, document.Located{Start: f.text.Len(), End: -1, Part: p})
}

func (f *Flow) closePart() {
	if n := len(f.parts); n > 0 && f.parts[n-1].End < 0 {
		f.parts[n-1].End = f.text.Len()
	}
}

// Heading begins a section.
func (f *Flow) Heading(level int, title string) {
	if title = Line(title); title == "" {
		return
	}
	level = max(1, min(level, 6))
	if level <= deep {
		if !f.bare {
			f.Cut()
		}
		f.path.Open(level, title)
		f.block(strings.Repeat("#", level) + " " + title)
		return
	}
	f.bare = false
	f.block(strings.Repeat("#", level) + " " + title)
}

// Paragraph adds a paragraph, whose lines stay.
func (f *Flow) Paragraph(text string) {
	if text = strings.TrimSpace(Clean(text)); text != "" {
		f.bare = false
		f.block(text)
	}
}

// Item adds an item of a list, depth 0 outermost. Items that follow each other have no
// blank line between them.
func (f *Flow) Item(depth int, mark, text string) {
	if text = strings.TrimSpace(Clean(text)); text == "" {
		return
	}
	f.bare = false
	indent := strings.Repeat("  ", min(max(depth, 0), 8))
	f.line(indent + mark + " " + strings.ReplaceAll(text, "\n", "\n"+indent+"  "))
}

// Fenced adds text whose line breaks and spaces stay: code, a poem.
func (f *Flow) Fenced(text string) {
	if text = strings.Trim(Clean(text), "\n"); strings.TrimSpace(text) == "" {
		return
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	f.bare = false
	f.block(fence + "\n" + text + "\n" + fence)
}

// Table adds a table by its rows, the first of them the header.
func (f *Flow) Table(rows [][]string) {
	var out strings.Builder
	for _, row := range rows {
		if line := Row(row); line != "" {
			out.WriteString(line + "\n")
		}
	}
	if out.Len() > 0 {
		f.bare = false
		f.block(strings.TrimSuffix(out.String(), "\n"))
	}
}

// Row is a line of a table, "" for one without anything in it.
func Row(cells []string) string {
	n := len(cells)
	for n > 0 && strings.TrimSpace(cells[n-1]) == "" {
		n--
	}
	if n == 0 {
		return ""
	}
	out := make([]string, n)
	for i := range out {
		out[i] = strings.Join(strings.Fields(Clean(cells[i])), " ")
	}
	return "| " + strings.Join(out, " | ") + " |"
}

// block adds a block with a blank line before it, line one without.
func (f *Flow) block(text string) {
	if f.Full() {
		return
	}
	if f.text.Len() > 0 {
		f.text.WriteByte('\n')
	}
	f.write(text)
}

func (f *Flow) line(text string) {
	if f.Full() {
		return
	}
	if f.text.Len() > 0 && !f.items {
		f.text.WriteByte('\n')
	}
	f.write(text)
	f.items = true
}

func (f *Flow) write(text string) {
	f.text.WriteString(text)
	f.text.WriteByte('\n')
	f.items = false
}

// Cut ends the section: no passage goes beyond here.
func (f *Flow) Cut() {
	open := document.Part{}
	if n := len(f.parts); n > 0 && f.parts[n-1].End < 0 {
		open = f.parts[n-1].Part
	}
	f.closePart()
	f.b.Add(Section{Language: "markdown", Headings: f.path.Titles(), Parts: f.parts}, f.text.String())
	f.text.Reset()
	f.bare, f.parts = true, nil
	f.Part(open)
}

// Section ends the one before it, and adds one that was made elsewhere.
func (f *Flow) Section(s Section, text string) {
	if f.text.Len() > 0 {
		f.Cut()
	}
	if s.Headings == nil {
		s.Headings = f.path.Titles()
	}
	f.b.Add(s, text)
}

// Text returns what was added, as that of a Builder.
func (f *Flow) Text() (Text, error) {
	f.Cut()
	return f.b.Text()
}
