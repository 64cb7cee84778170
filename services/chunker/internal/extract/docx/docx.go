// Package docx makes the text of Word documents (.docx): headings by their styles,
// paragraphs, lists, tables and notes, with the pages that Word has noted when it laid
// the document out.
package docx

import (
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/archive"
)

// Make implements extract.Maker.
func Make(content []byte, limit int) (extract.Text, error) {
	a, err := archive.OpenOffice(content, "document")
	if err != nil {
		return extract.Text{}, err
	}
	body := a.Root.Child("body")
	if body == nil {
		return extract.Text{}, extract.Damaged
	}
	r := &reader{flow: extract.NewFlow(limit), counts: map[string][]int{}}
	notes := map[string]*archive.Node{}
	for _, to := range a.Parts {
		var part *archive.Node
		switch to.Kind {
		case "styles", "numbering", "footnotes", "endnotes":
			if part, err = a.XML(to.Name); err != nil {
				return extract.Text{}, err
			}
		}
		switch to.Kind {
		case "styles":
			r.styles = levels(part)
		case "numbering":
			r.lists = marks(part)
		case "footnotes", "endnotes":
			notes[to.Kind] = part
		}
	}
	r.flow.Title(a.Title())
	body.All("lastRenderedPageBreak", func(*archive.Node) { r.page = 1 })
	if r.page > 0 {
		r.tell(1, 1)
	}
	r.blocks(body)
	if r.page > 0 {
		r.flow.Part(document.Part{})
	}
	for _, kind := range []string{"footnotes", "endnotes"} {
		notes[kind].All(strings.TrimSuffix(kind, "s"), func(n *archive.Node) {
			if n.Attr("type") == "" { // the others are lines between text and notes
				r.page = 0
				r.flow.Paragraph("[" + n.Attr("id") + "] " + strings.TrimSpace(r.text(n)))
			}
		})
	}
	return r.flow.Text()
}

// reader goes through a document.
type reader struct {
	flow   *extract.Flow
	styles map[string]int               // levels of headings by id of style
	lists  map[string]map[string]string // marks by list and level
	counts map[string][]int             // of the numbered lists
	page   int                          // 0 where nobody knows
	told   document.Part                // the part that the flow knows of
}

// blocks reads what stands one below the other.
func (r *reader) blocks(n *archive.Node) {
	for _, c := range n.Children {
		if r.flow.Full() {
			return
		}
		switch c.Name {
		case "p":
			r.paragraph(c)
		case "tbl":
			r.table(c)
		case "sdt":
			if in := c.Child("sdtContent"); in != nil {
				r.blocks(in)
			}
		case "ins", "moveTo", "customXml", "smartTag":
			r.blocks(c)
		}
	}
}

func (r *reader) paragraph(p *archive.Node) {
	props := p.Child("pPr")
	before := r.page
	text := r.text(p)
	if r.page > 0 {
		// A break before the first letter is one before the paragraph.
		from := before
		if i := strings.IndexByte(text, '\f'); i >= 0 && strings.TrimSpace(strings.ReplaceAll(text[:i], "\f", "")) == "" {
			from = r.page
			if rest := strings.TrimLeft(text, "\f \n\t"); strings.Contains(rest, "\f") {
				from = r.page - strings.Count(rest, "\f")
			}
		}
		r.tell(from, r.page)
	}
	text = strings.TrimSpace(strings.ReplaceAll(text, "\f", ""))
	if text == "" {
		return
	}
	if level := r.level(props); level > 0 {
		r.flow.Heading(level, text)
		return
	}
	if list := props.Child("numPr"); list != nil && list.Child("numId").Attr("val") != "0" {
		depth, _ := strconv.Atoi(list.Child("ilvl").Attr("val"))
		r.flow.Item(depth, r.mark(list.Child("numId").Attr("val"), min(max(depth, 0), 8)), text)
		return
	}
	if strings.HasPrefix(strings.ToLower(props.Child("pStyle").Attr("val")), "list") {
		r.flow.Item(0, "-", text)
		return
	}
	r.flow.Paragraph(text)
}

// tell says which pages come next.
func (r *reader) tell(from, to int) {
	if p := (document.Part{Kind: document.PartPage, From: from, To: to}); p != r.told {
		r.told = p
		r.flow.Part(p)
	}
}

// level is that of a heading, 0 for what is none.
func (r *reader) level(props *archive.Node) int {
	if at := props.Child("outlineLvl").Attr("val"); at != "" {
		if n, err := strconv.Atoi(at); err == nil && n < 9 {
			return n + 1
		}
	}
	return r.styles[props.Child("pStyle").Attr("val")]
}

// mark is what stands before an item of a list.
func (r *reader) mark(list string, depth int) string {
	if r.lists[list][strconv.Itoa(depth)] != "number" {
		return "-"
	}
	counts := r.counts[list]
	for len(counts) <= depth {
		counts = append(counts, 0)
	}
	counts = counts[:depth+1]
	counts[depth]++
	r.counts[list] = counts
	return strconv.Itoa(counts[depth]) + "."
}

func (r *reader) table(t *archive.Node) {
	before := r.page
	var rows [][]string
	t.All("tr", func(tr *archive.Node) {
		var row []string
		tr.All("tc", func(tc *archive.Node) {
			var cell []string
			tc.All("p", func(p *archive.Node) {
				if text := strings.TrimSpace(strings.ReplaceAll(r.text(p), "\f", "")); text != "" {
					cell = append(cell, text)
				}
			})
			row = append(row, strings.Join(cell, " "))
			if span, err := strconv.Atoi(tc.Child("tcPr", "gridSpan").Attr("val")); err == nil {
				for range min(span, 64) - 1 {
					row = append(row, "")
				}
			}
		})
		rows = append(rows, row)
	})
	if r.page > 0 {
		r.tell(before, r.page)
	}
	if len(rows) == 1 && len(rows[0]) == 1 {
		r.flow.Paragraph(rows[0][0]) // a frame
		return
	}
	r.flow.Table(rows)
}

// text is that of a paragraph. A page that begins is "\f" in it.
func (r *reader) text(n *archive.Node) string {
	var b strings.Builder
	r.runs(&b, n)
	return b.String()
}

func (r *reader) runs(b *strings.Builder, n *archive.Node) {
	for _, c := range n.Children {
		switch c.Name {
		case "t":
			b.WriteString(c.Inner())
		case "tab", "ptab":
			b.WriteByte('\t')
		case "cr":
			b.WriteByte('\n')
		case "br":
			if c.Attr("type") == "" || c.Attr("type") == "textWrapping" {
				b.WriteByte('\n')
			}
		case "noBreakHyphen":
			b.WriteByte('-')
		case "lastRenderedPageBreak":
			if r.page > 0 {
				r.page++
				b.WriteByte('\f')
			}
		case "footnoteReference", "endnoteReference":
			b.WriteString("[" + c.Attr("id") + "]")
		case "del", "moveFrom", "pPr", "rPr", "instrText", "delText", "Fallback", "":
		case "txbxContent":
			b.WriteByte('\n')
			c.All("p", func(p *archive.Node) {
				r.runs(b, p)
				b.WriteByte('\n')
			})
		default:
			r.runs(b, c)
		}
	}
}

// levels are those of the styles that are headings, by themselves or by the style that
// they are based on.
func levels(styles *archive.Node) map[string]int {
	out, based := map[string]int{}, map[string]string{}
	var ids []string
	styles.All("style", func(s *archive.Node) {
		id := s.Attr("styleId")
		ids = append(ids, id)
		based[id] = s.Child("basedOn").Attr("val")
		name := strings.ToLower(s.Child("name").Attr("val"))
		if n, err := strconv.Atoi(s.Child("pPr", "outlineLvl").Attr("val")); err == nil {
			if n < 9 {
				out[id] = n + 1
			} else {
				out[id] = 0
			}
			return
		}
		if rest, ok := strings.CutPrefix(name, "heading "); ok {
			if n, err := strconv.Atoi(rest); err == nil && n > 0 {
				out[id] = n
			}
			return
		}
		if name == "title" {
			out[id] = 1
		}
	})
	for _, id := range ids {
		for at, n := id, 0; n < 16 && at != ""; at, n = based[at], n+1 {
			if level, known := out[at]; known {
				out[id] = level
				break
			}
		}
	}
	return out
}

// marks says of each list and level whether it is numbered.
func marks(numbering *archive.Node) map[string]map[string]string {
	abstract := map[string]map[string]string{}
	numbering.All("abstractNum", func(n *archive.Node) {
		kinds := map[string]string{}
		n.All("lvl", func(l *archive.Node) {
			switch l.Child("numFmt").Attr("val") {
			case "bullet", "none", "":
			default:
				kinds[l.Attr("ilvl")] = "number"
			}
		})
		abstract[n.Attr("abstractNumId")] = kinds
	})
	out := map[string]map[string]string{}
	numbering.All("num", func(n *archive.Node) {
		out[n.Attr("numId")] = abstract[n.Child("abstractNumId").Attr("val")]
	})
	return out
}
