package syntax

import (
	"bytes"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/split"
)

// walker turns a syntax tree into the items of a file. It visits the top
// level, the members of classes, and the inside of what is too large; each
// node costs a few calls into C.
type walker struct {
	text    *split.Text
	content []byte
	table   []spec
	cursor  *sitter.TreeCursor
	opt     split.Options
	depth   int
}

// mark is a node that begins an item.
type mark struct {
	item    split.Item
	last    int // line on which the node ends; item.First is where it begins
	comment bool
	header  bool // part of the file's header, wherever it stands
	lead    bool // part of the header while nothing else came before
}

// maxDepth limits the descent into nested nodes.
const maxDepth = 40

// file returns the items of the whole content; the cursor is at the root.
func (w *walker) file() []split.Item {
	marks := w.children(split.Item{})
	last := w.text.Lines() - 1
	head := 0 // marks of the header
	for i, m := range marks {
		// What else stands on a header's line, such as the name behind
		// "#ifndef", is part of it.
		same := head == i && i > 0 && m.item.Symbol == "" && m.last == marks[i-1].last
		if m.header || m.lead || same {
			head = i + 1
		} else if !m.comment {
			break
		}
	}
	if head == 0 {
		return w.license(w.items(marks, 0, last), marks)
	}
	end := marks[head-1].last
	out := []split.Item{{First: 0, Last: end, Kind: document.KindHeader}}
	if end < last {
		out = append(out, w.items(marks[head:], end+1, last)...)
	}
	return out
}

// license makes a header of comments at the top that a blank line sets apart
// from the first definition.
func (w *walker) license(items []split.Item, marks []mark) []split.Item {
	if len(items) == 0 {
		return items
	}
	for _, m := range marks {
		if m.comment {
			continue
		}
		for i := m.item.First - 1; i > items[0].First; i-- {
			if w.text.Blank(i) {
				head := split.Item{First: items[0].First, Last: i, Kind: document.KindHeader}
				items[0] = stretch(items[0], i+1, items[0].Last)
				return append([]split.Item{head}, items...)
			}
		}
		break
	}
	return items
}

// items makes a partition of the lines first to last out of marks: an item
// begins at its mark or at the comments above it.
func (w *walker) items(marks []mark, first, last int) []split.Item {
	var out []split.Item
	pending, begun, ended := -1, -1, first-1 // begun: line of the last mark
	add := func(item split.Item, line int) {
		if n := len(out); n > 0 {
			out[n-1] = stretch(out[n-1], out[n-1].First, line-1)
		} else {
			line = first
		}
		out = append(out, stretch(item, line, last))
	}
	for _, m := range marks {
		line := m.item.First
		switch {
		case line > last || m.last < first:
		case m.comment:
			if line > ended && pending < 0 {
				pending = line
			}
			ended = max(ended, m.last)
			continue
		case len(out) > 0 && line <= begun:
			merge(&out[len(out)-1], m.item)
		default:
			if pending >= 0 && pending < line {
				line = pending
			}
			add(m.item, line)
		}
		pending, begun, ended = -1, max(begun, m.item.First), max(ended, m.last)
	}
	if pending >= 0 || len(out) == 0 {
		add(split.Item{}, max(pending, first)) // comments at the end
	}
	return out
}

// merge adds a mark on the line on which an item begins to that item.
func merge(item *split.Item, more split.Item) {
	if item.Symbol == "" {
		item.Kind, item.Symbol, item.Signature = more.Kind, more.Symbol, more.Signature
	} else if more.Symbol != "" {
		item.Names = append(item.Names, more.Symbol)
	}
	item.Names = append(item.Names, more.Names...)
	if item.Inner == nil && more.Inner != nil {
		item.Inner = more.Inner
		*item = stretch(*item, item.First, item.Last)
	}
}

// stretch sets the range of an item, and lets its parts cover it.
func stretch(item split.Item, first, last int) split.Item {
	item.First, item.Last = first, last
	if n := len(item.Inner); n > 0 {
		if n == 1 {
			item.Inner[0] = stretch(item.Inner[0], first, last)
		} else {
			item.Inner[0] = stretch(item.Inner[0], first, item.Inner[0].Last)
			item.Inner[n-1] = stretch(item.Inner[n-1], item.Inner[n-1].First, last)
		}
	}
	return item
}

// children returns the marks of the node at the cursor, which is back there
// afterwards.
func (w *walker) children(owner split.Item) []mark {
	if w.depth >= maxDepth || !w.cursor.GoToFirstChild() {
		return nil
	}
	w.depth++
	var out []mark
	for {
		if node := w.cursor.CurrentNode(); node != nil {
			out = w.node(out, node, owner)
		}
		if !w.cursor.GoToNextSibling() {
			break
		}
	}
	w.cursor.GoToParent()
	w.depth--
	return out
}

// spec returns what a node means; an error node stands for its children.
func (w *walker) spec(node *sitter.Node) spec {
	symbol := int(node.Symbol())
	if symbol >= len(w.table) {
		return spec{role: roleFlat}
	}
	if s := w.table[symbol]; s.role != roleCall {
		return s
	}
	return w.called(node)
}

// extentOf is the range of a node, without the white space that some grammars have
// nodes begin with; an empty one where it is not in the content.
func (w *walker) extentOf(node *sitter.Node) (start, end int) {
	start, end = int(node.StartByte()), int(node.EndByte())
	if start >= end || end > len(w.content) {
		return 0, 0
	}
	for start < end && strings.IndexByte(" \t\r\n", w.content[start]) >= 0 {
		start++
	}
	return start, end
}

// node appends the marks of the node at the cursor.
func (w *walker) node(out []mark, node *sitter.Node, owner split.Item) []mark {
	s := w.spec(node)
	if s.role == roleNone {
		return out
	}
	start, end := w.extentOf(node)
	if start >= end {
		return out // a missing token
	}
	m := mark{last: w.text.LineAt(end - 1)}
	m.item.First = w.text.LineAt(start)
	large := end-start > w.opt.Max && m.last > m.item.First
	inside := owner.Kind == document.KindFunction || owner.Kind == document.KindMethod
	switch s.role {
	case roleComment:
		if len(bytes.TrimSpace(w.content[w.text.Start(m.item.First):start])) > 0 && m.last == m.item.First {
			return out // behind something else on its line
		}
		m.comment = true
	case roleHeader:
		m.header = !inside
		if node.Type() == "import_header" { // of Kotlin: it ends behind the comment of what follows
			m.last = m.item.First
		}
	case roleLead:
		m.lead = true
	case roleBody:
		// What fits into a chunk is not cut, and may have been elided.
		if end-start <= w.opt.Target && owner.Kind != document.KindClass && owner.Kind != document.KindType && owner.Kind != document.KindModule {
			return out
		}
		if m.last > m.item.First {
			return append(out, w.children(owner)...)
		}
	case roleThrough:
		return append(out, w.children(owner)...)
	case roleFlat:
		m.lead = s.kind == "" || m.last == m.item.First
		if s.kind != "" {
			w.describe(&m, node, s, owner)
		}
		line := m.item.First
		marks := w.children(owner)
		m.last = line
		m.item.Inner = nil
		return append(append(out, m), marks...)
	case roleWrap:
		if inner := w.unwrap(m, owner); len(inner) > 0 {
			return append(out, inner...)
		}
	case roleDef, roleContainer:
		if s.how == byExpression && !inside {
			if inner := w.unwrap(m, owner); len(inner) > 0 { // "namespace N {…}" is an expression
				return append(out, inner...)
			}
		}
		if s.kind != document.KindVariable || !inside {
			w.describe(&m, node, s, owner)
		}
		if s.role == roleContainer {
			marks := w.children(m.item)
			if large {
				m.item.Inner = w.items(marks, m.item.First, m.last)
			} else {
				m.item.Names = members(marks, m.item.Symbol)
			}
			return append(out, m)
		}
	}
	if large {
		inner := m.item
		if inner.Kind == "" || inner.Kind == document.KindVariable {
			inner = owner
		}
		m.item.Inner = w.items(w.children(inner), m.item.First, m.last)
	}
	return append(out, m)
}

// unwrap returns the marks of the definition inside of a decoration; they
// cover the lines of the decoration.
func (w *walker) unwrap(m mark, owner split.Item) []mark {
	if w.depth >= maxDepth || !w.cursor.GoToFirstChild() {
		return nil
	}
	w.depth++
	defer func() { w.depth-- }()
	defer w.cursor.GoToParent()
	for {
		node := w.cursor.CurrentNode()
		if node != nil {
			switch s := w.spec(node); {
			case s.role == roleFlat && s.kind == "":
			case s.role == roleDef, s.role == roleContainer, s.role == roleWrap, s.role == roleFlat:
				if inner := w.node(nil, node, owner); len(inner) > 0 {
					if len(inner) == 1 {
						inner[0].last = m.last
					}
					first := &inner[0]
					first.item = stretch(first.item, m.item.First, max(first.last, m.item.First))
					return inner
				}
			}
		}
		if !w.cursor.GoToNextSibling() {
			return nil
		}
	}
}

// members are the names defined by marks, without the owner's name.
func members(marks []mark, owner string) []string {
	var out []string
	for _, m := range marks {
		if m.item.Symbol != "" && m.item.Kind != document.KindVariable && len(out) < 32 {
			out = append(out, strings.TrimPrefix(m.item.Symbol, owner+"."))
		}
	}
	return out
}
