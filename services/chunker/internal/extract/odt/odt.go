// Package odt makes the text of OpenDocument texts (.odt): headings, paragraphs, lists,
// tables and notes, with the pages where whoever saved it has noted them.
package odt

import (
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/archive"
)

// Make implements extract.Maker.
func Make(content []byte, limit int) (extract.Text, error) {
	a, err := archive.Open(content)
	if err != nil {
		return extract.Text{}, err
	}
	manifest, err := a.XML("META-INF/manifest.xml")
	if err != nil {
		return extract.Text{}, err
	}
	locked := false
	manifest.All("encryption-data", func(*archive.Node) { locked = true })
	if locked {
		return extract.Text{}, extract.Encrypted
	}
	doc, err := a.XML("content.xml")
	if err != nil {
		return extract.Text{}, err
	}
	body := doc.Child("body", "text")
	if body == nil {
		return extract.Text{}, extract.Damaged
	}
	r := &reader{flow: extract.NewFlow(limit), numbered: numbered(doc)}
	if meta, err := a.XML("meta.xml"); err == nil {
		r.flow.Title(meta.Child("meta", "title").Inner())
	}
	body.All("soft-page-break", func(*archive.Node) { r.page = 1 })
	r.tell()
	r.blocks(body)
	if r.page > 0 {
		r.flow.Part(document.Part{})
	}
	for _, note := range r.notes {
		r.flow.Paragraph(note)
	}
	return r.flow.Text()
}

type reader struct {
	flow     *extract.Flow
	numbered map[string]bool // styles of lists that count
	notes    []string
	page     int // 0 where nobody knows
	told     int
}

func (r *reader) tell() {
	if r.page > 0 && r.page != r.told {
		r.told = r.page
		r.flow.Part(document.Part{Kind: document.PartPage, From: r.page, To: r.page})
	}
}

func (r *reader) blocks(n *archive.Node) {
	for _, c := range n.Children {
		if r.flow.Full() {
			return
		}
		r.tell()
		switch c.Name {
		case "h":
			level, err := strconv.Atoi(c.Attr("outline-level"))
			if err != nil {
				level = 1
			}
			r.flow.Heading(level, r.text(c))
		case "p":
			r.paragraph(c)
		case "list":
			r.list(c, 0, r.numbered[c.Attr("style-name")])
		case "table":
			r.table(c)
		case "soft-page-break":
			r.page++
		case "tracked-changes", "sequence-decls", "variable-decls", "forms", "user-field-decls":
		case "":
		default: // sections, indexes, frames
			r.blocks(c)
		}
	}
}

// paragraph adds one, of which a style of titles makes a heading.
func (r *reader) paragraph(p *archive.Node) {
	text := r.text(p)
	if p.Attr("style-name") == "Title" {
		r.flow.Heading(1, text)
		return
	}
	r.flow.Paragraph(text)
}

func (r *reader) list(n *archive.Node, depth int, counts bool) {
	at := 0
	for _, item := range n.Children {
		if item.Name != "list-item" && item.Name != "list-header" {
			continue
		}
		if at++; r.flow.Full() {
			return
		}
		mark := "-"
		if counts {
			mark = strconv.Itoa(at) + "."
		}
		var text []string
		flush := func() {
			r.flow.Item(depth, mark, strings.Join(text, "\n"))
			text = nil
		}
		for _, c := range item.Children {
			switch c.Name {
			case "p", "h":
				text = append(text, r.text(c))
			case "list":
				flush()
				inner := counts
				if name := c.Attr("style-name"); name != "" {
					inner = r.numbered[name]
				}
				r.list(c, min(depth+1, 32), inner)
			}
		}
		flush()
	}
}

func (r *reader) table(t *archive.Node) {
	var rows [][]string
	t.All("table-row", func(tr *archive.Node) {
		var row []string
		for _, c := range tr.Children {
			if c.Name != "table-cell" && c.Name != "covered-table-cell" {
				continue
			}
			var cell []string
			for _, p := range c.Children {
				if p.Name != "" {
					cell = append(cell, r.text(p))
				}
			}
			n, err := strconv.Atoi(c.Attr("number-columns-repeated"))
			if err != nil || n < 1 {
				n = 1
			}
			for range min(n, 64) {
				row = append(row, strings.Join(cell, " "))
			}
		}
		rows = append(rows, row)
	})
	r.flow.Table(rows)
}

func (r *reader) text(n *archive.Node) string {
	var b strings.Builder
	r.runs(&b, n)
	return strings.TrimSpace(b.String())
}

func (r *reader) runs(b *strings.Builder, n *archive.Node) {
	for _, c := range n.Children {
		switch c.Name {
		case "":
			// Line breaks of the file are spaces.
			b.WriteString(strings.NewReplacer("\n", " ", "\t", " ").Replace(c.Text))
		case "s":
			count, err := strconv.Atoi(c.Attr("c"))
			if err != nil || count < 1 {
				count = 1
			}
			b.WriteString(strings.Repeat(" ", min(count, 100)))
		case "tab":
			b.WriteByte('\t')
		case "line-break":
			b.WriteByte('\n')
		case "soft-page-break":
			r.page++
		case "note":
			mark := "[" + strings.TrimSpace(c.Child("note-citation").Inner()) + "]"
			b.WriteString(mark)
			var note strings.Builder
			if body := c.Child("note-body"); body != nil {
				r.runs(&note, body)
			}
			r.notes = append(r.notes, mark+" "+strings.TrimSpace(note.String()))
		case "annotation", "annotation-end", "bookmark", "tracked-changes", "change", "desc", "title", "binary-data":
		case "p", "h", "list-item", "table-row":
			r.runs(b, c)
			b.WriteByte('\n')
		case "table-cell":
			r.runs(b, c)
			b.WriteByte(' ')
		default:
			r.runs(b, c)
		}
	}
}

// numbered are the styles of lists whose first level counts.
func numbered(doc *archive.Node) map[string]bool {
	out := map[string]bool{}
	doc.All("list-style", func(s *archive.Node) {
		for _, l := range s.Children {
			if l.Name == "list-level-style-number" && l.Attr("level") == "1" && l.Attr("num-format") != "" {
				out[s.Attr("name")] = true
			}
		}
	})
	return out
}
