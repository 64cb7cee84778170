package html

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
)

// leftOut reports whether nobody reads what an element holds as part of the page.
func leftOut(n *html.Node) bool {
	if n.Type == html.CommentNode || n.Type == html.DoctypeNode {
		return true
	}
	if n.Type != html.ElementNode {
		return false
	}
	switch n.DataAtom {
	case atom.Head, atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Math, atom.Iframe, atom.Object,
		atom.Nav, atom.Button, atom.Select, atom.Input, atom.Textarea, atom.Canvas, atom.Audio, atom.Video, atom.Dialog, atom.Menu:
		return true
	}
	switch attr(n, "role") {
	case "navigation", "search", "banner", "contentinfo", "menu", "menubar", "toolbar", "dialog":
		return true
	}
	return has(n, "hidden") || attr(n, "aria-hidden") == "true" || strings.Contains(strings.ReplaceAll(attr(n, "style"), " ", ""), "display:none")
}

// inline are the elements that stand within a line.
func inline(n *html.Node) bool {
	switch n.DataAtom {
	case atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Cite, atom.Code, atom.Data, atom.Del, atom.Dfn, atom.Em,
		atom.Font, atom.I, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Q, atom.Ruby, atom.Rt, atom.Rp, atom.S, atom.Samp,
		atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr, atom.Img:
		return true
	}
	return false
}

// writer writes the blocks of a page.
type writer struct {
	flow  *extract.Flow
	text  strings.Builder // of the block that is read
	mark  string          // of the item of a list that begins here, "" within it
	depth int             // of lists
	shown int
}

// Write writes what people read below a node, and returns how many bytes that are.
func Write(f *extract.Flow, n *html.Node) int {
	w := &writer{flow: f}
	w.node(n)
	w.end()
	return w.shown
}

// end writes the block that was read.
func (w *writer) end() {
	text := lines(w.text.String())
	w.text.Reset()
	if text == "" {
		return
	}
	w.shown += len(text)
	switch {
	case w.mark != "":
		w.flow.Item(w.depth-1, w.mark, text)
		w.mark = ""
	default:
		w.flow.Paragraph(text)
	}
}

// lines has single spaces, and the line breaks that a page asks for ("\v").
func lines(text string) string {
	all := strings.Split(text, "\v")
	kept := all[:0]
	for _, line := range all {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func (w *writer) children(n *html.Node) {
	for c := range n.ChildNodes() {
		w.node(c)
	}
}

func (w *writer) node(n *html.Node) {
	if n.Type == html.TextNode {
		w.text.WriteString(strings.ReplaceAll(n.Data, "\v", " "))
		return
	}
	if leftOut(n) || w.flow.Full() {
		return
	}
	switch n.DataAtom {
	case atom.Br:
		w.text.WriteByte('\v')
		return
	case atom.Img:
		return
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.end()
		title := inner(n)
		w.shown += len(title)
		w.flow.Heading(int(n.Data[1]-'0'), title)
		return
	case atom.Pre:
		w.end()
		raw := verbatim(n)
		w.shown += len(raw)
		w.flow.Fenced(raw)
		return
	case atom.Table:
		if rows, ok := table(n); ok {
			w.end()
			for _, row := range rows {
				w.shown += len(extract.Row(row))
			}
			w.flow.Table(rows)
			return
		}
	case atom.Ul, atom.Ol, atom.Dl:
		w.end()
		w.list(n)
		return
	}
	if n.Type == html.ElementNode && inline(n) {
		w.children(n)
		return
	}
	w.end()
	w.children(n)
	w.end()
}

func (w *writer) list(n *html.Node) {
	w.depth++
	defer func() { w.depth-- }()
	next := 1
	if at, err := strconv.Atoi(attr(n, "start")); err == nil {
		next = at
	}
	for c := range n.ChildNodes() {
		switch c.DataAtom {
		case atom.Li:
			if w.mark = "-"; n.DataAtom == atom.Ol {
				w.mark = strconv.Itoa(next) + "."
				next++
			}
		case atom.Dt:
			w.mark = "-"
		case atom.Dd:
			w.depth++
			w.mark = "-"
			w.node(c)
			w.mark = ""
			w.depth--
			continue
		}
		w.node(c)
		w.end()
		w.mark = ""
	}
}

// table returns the rows of a table of data, ok false where a table lays out a page: it
// holds another, or headings, or a list.
func table(n *html.Node) (rows [][]string, ok bool) {
	for c := range n.Descendants() {
		switch c.DataAtom {
		case atom.Table, atom.H1, atom.H2, atom.H3, atom.Pre, atom.Ul, atom.Ol, atom.Article, atom.Section:
			return nil, false
		case atom.Caption:
			if text := inner(c); text != "" {
				rows = append(rows, []string{text})
			}
		case atom.Tr:
			var row []string
			for cell := range c.ChildNodes() {
				if cell.DataAtom != atom.Td && cell.DataAtom != atom.Th || leftOut(cell) {
					continue
				}
				row = append(row, inner(cell))
				if span, err := strconv.Atoi(attr(cell, "colspan")); err == nil {
					for range min(span, 50) - 1 {
						row = append(row, "")
					}
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, true
}

// inner is the text below a node on one line.
func inner(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
			return
		case n.DataAtom == atom.Br || n.Type == html.ElementNode && !inline(n):
			b.WriteByte(' ')
		}
		for c := range n.ChildNodes() {
			if !leftOut(c) {
				walk(c)
			}
		}
		if n.Type == html.ElementNode && !inline(n) {
			b.WriteByte(' ')
		}
	}
	walk(n)
	return strings.Join(strings.Fields(b.String()), " ")
}

// verbatim is the text below a node as it is.
func verbatim(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.DataAtom == atom.Br:
			b.WriteByte('\n')
		}
	}
	return b.String()
}
