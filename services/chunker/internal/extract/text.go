// Package extract makes text of documents whose bytes are none: each format is a
// folder below it with a function from bytes to a Text. It runs in a parser child, so
// that what a document does to a maker costs that document alone; makers keep to their
// limits all the same, since a child that is killed says less than one that tells.
package extract

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Text is what was made of a document: valid UTF-8, lines that end at "\n".
type Text struct {
	Bytes []byte
	// Title is the document's, under which all its sections stand; "" where it has none.
	Title string
	// Sections are in order, do not overlap, begin at the beginning of a line, and have
	// nothing but white space between them. No passage goes beyond one.
	Sections []Section
}

// Section is a stretch of a text that is cut by itself.
type Section struct {
	Start, End int
	// Language is how it is cut; "" is by its indentation.
	Language string
	// Headings are those that it stands under, outermost first.
	Headings []string
	Part     document.Part // that it is made of; the zero one for none
	// Parts are those that it is made of where there may be several, in place of Part.
	// Ranges are bytes of the section while it is added, and of the text then.
	Parts []document.Located
	// Whole says that it is one passage, unless it is far too long.
	Whole bool
	// Above is what its passages are not understood without, and is not in them: the
	// header of a table.
	Above string
}

// Parts are the ranges of a text that are made of a part of the document.
func (t *Text) Parts() []document.Located {
	var out []document.Located
	for i := range t.Sections {
		s := &t.Sections[i]
		if out = append(out, s.Parts...); s.Part != (document.Part{}) {
			out = append(out, document.Located{Start: s.Start, End: s.End, Part: s.Part})
		}
	}
	return out
}

// Above are the headings that a section stands under, that of the document first.
func (t *Text) Above(s *Section) []string {
	if t.Title == "" || len(s.Headings) > 0 && s.Headings[0] == t.Title {
		return s.Headings
	}
	return append([]string{t.Title}, s.Headings...)
}

// Reason says why there is no text of a document. It is a phrase of a small set, which
// people read and documents are counted by.
type Reason string

// Error implements error.
func (r Reason) Error() string { return string(r) }

// The reasons.
const (
	Damaged   Reason = "damaged, or not what its name says"
	Encrypted Reason = "encrypted"
	TooMuch   Reason = "more text than its format may have"
	Bomb      Reason = "unpacks to far more than its size"
	TooMany   Reason = "more parts than its format may have"
	NoText    Reason = "no text in it"
	Scanned   Reason = "pictures of pages, and no text"
)

// Maker makes the text of a document, at most limit bytes of it. The error is a Reason.
type Maker func(content []byte, limit int) (Text, error)

// Builder puts a text together. The zero value is empty.
type Builder struct {
	limit int
	text  Text
	full  bool
	// nameless says that the first heading is not the title.
	nameless bool
}

// NewBuilder returns a Builder of at most limit bytes.
func NewBuilder(limit int) *Builder { return &Builder{limit: limit} }

// Add appends a section with a text of its own, without the blank lines around it, and
// a blank line behind it. A text without anything to read is left out. Start and End
// of s are set here.
func (b *Builder) Add(s Section, text string) {
	text = strings.Trim(Clean(text), "\n")
	if strings.TrimSpace(text) == "" || b.full {
		return
	}
	if len(b.text.Bytes) > 0 {
		b.text.Bytes = append(b.text.Bytes, '\n')
	}
	if len(b.text.Bytes)+len(text)+1 > b.limit {
		b.full = true
		return
	}
	s.Start = len(b.text.Bytes)
	b.text.Bytes = append(append(b.text.Bytes, text...), '\n')
	s.End = len(b.text.Bytes)
	s.Parts = slices.Clone(s.Parts)
	for i := range s.Parts {
		s.Parts[i].Start, s.Parts[i].End = s.Start+s.Parts[i].Start, min(s.Start+s.Parts[i].End, s.End)
	}
	s.Parts = slices.DeleteFunc(s.Parts, func(l document.Located) bool { return l.Start >= l.End })
	b.text.Sections = append(b.text.Sections, s)
}

// Title notes the title of the document. The first that there is counts.
func (b *Builder) Title(title string) {
	if b.text.Title == "" {
		b.text.Title = Line(title)
	}
}

// Full reports whether there is more than the limit, so that there is no use in adding.
func (b *Builder) Full() bool { return b.full }

// Text returns what was added. A document without a title has the first heading for
// one. The error is TooMuch where it was more than the limit,
// and NoText where there is nothing.
func (b *Builder) Text() (Text, error) {
	switch {
	case b.full:
		return Text{}, TooMuch
	case len(b.text.Sections) == 0:
		return Text{}, NoText
	}
	for i := 0; b.text.Title == "" && !b.nameless && i < len(b.text.Sections); i++ {
		if above := b.text.Sections[i].Headings; len(above) > 0 {
			b.text.Title = above[0]
		}
	}
	return b.text, nil
}

// most is how many bytes of a title or a heading are kept: what is longer is no name.
const most = 200

// Line makes one line of a text, with single spaces, and at most as long as a heading
// may be.
func Line(text string) string {
	text = strings.Join(strings.Fields(Clean(text)), " ")
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// Clean has lines end at "\n", and leaves out what no text has: a zero, and what is no
// UTF-8.
func Clean(text string) string {
	if strings.ContainsRune(text, '\r') {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		text = string(bytes.ToValidUTF8([]byte(strings.ReplaceAll(text, "\x00", "")), nil))
	}
	return text
}

// Path is the headings that a place stands under, by their levels from 1.
type Path struct {
	levels []int
	titles []string
}

// Open notes a heading: those of its level and below it are over.
func (p *Path) Open(level int, title string) {
	n := 0
	for n < len(p.levels) && p.levels[n] < level {
		n++
	}
	p.levels, p.titles = append(p.levels[:n:n], level), append(p.titles[:n:n], title)
}

// Titles are the headings, outermost first. They may be kept.
func (p *Path) Titles() []string { return p.titles[:len(p.titles):len(p.titles)] }

// Verbatim is a document that is text after all, and is shown as it is.
func Verbatim(text, language string, limit int) (Text, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return Text{}, NoText
	case len(text) > limit:
		return Text{}, TooMuch
	}
	return Text{Bytes: []byte(text), Sections: []Section{{End: len(text), Language: language}}}, nil
}
