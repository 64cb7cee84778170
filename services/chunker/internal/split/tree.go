package split

import (
	"bytes"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// node is a part of a structured content, found by a reader of its language: a member, an
// element, a statement. The nodes of a list are in order.
type node struct {
	start int // byte; comments that belong to it are behind it
	// at is where it begins itself, behind comments.
	at   int
	name string // as its parts are called by it; "" for none
	// kind and symbol are of what it defines; without a kind it is a block.
	kind, symbol string
	// signature stands for its line where that says too little.
	signature string
	inner     []node
	// open says that its parts stand for it, however small it is.
	open bool
}

// mostNodes is how many nodes of a content are kept at a time, and deepest how deep they
// may lie. What comes behind or lies deeper belongs to the node before it or around it,
// which is cut at its lines: without these, a content of brackets alone would take a
// hundred times its size. A file of records has 64 MiB with 250,000 of 268 bytes.
const mostNodes, deepest = 250_000, 32

// tree makes items of nodes: whole lines, each part of the lines of what it is part of.
type tree struct {
	text *Text
	opt  Options
}

// structured cuts a content by its nodes; what is none belongs to the one before it.
func structured(text *Text, lang string, nodes []node, opt Options) []document.Span {
	if len(nodes) == 0 {
		return indented(text, lang, opt)
	}
	first, last, ok := text.trim(0, text.Lines()-1)
	if !ok {
		return nil
	}
	t := tree{text: text, opt: opt}
	return Pack(text, lang, t.items(nodes, first, last, "", 0), opt)
}

// items are those of the lines first to last. What begins on a line that another one has
// begun on belongs to that.
func (t *tree) items(nodes []node, first, last int, owner string, depth int) []Item {
	most := min(len(nodes), last-first+1)
	out, from := make([]Item, 0, most), make([]*node, 0, most)
	for i := range nodes {
		n := &nodes[i]
		line := t.text.LineAt(n.start)
		switch {
		case line > last:
			continue
		case len(out) == 0:
			line = first
		case line <= out[len(out)-1].First:
			from[len(from)-1] = nil // two on one line: no parts of either
			continue
		default:
			out[len(out)-1].Last = line - 1
		}
		out, from = append(out, item(n, line, last, owner)), append(from, n)
	}
	opened := false
	for i := range out {
		item, n := &out[i], from[i]
		if n == nil {
			continue
		}
		large := t.text.Size(item.First, item.Last) > t.opt.Max
		if item.Signature = n.signature; item.Signature == "" && (n.kind != "" || large && item.Kind != "") {
			item.Signature = t.signature(n)
		}
		if len(n.inner) == 0 || depth >= maxDepth || !n.open && !large {
			continue
		}
		name := owner
		if n.kind == "" {
			name = within(owner, n.name)
		}
		item.Inner = t.items(n.inner, item.First, item.Last, name, depth+1)
		for len(item.Inner) == 1 && len(item.Inner[0].Inner) > 0 {
			item.Inner = item.Inner[0].Inner // all is in one part
		}
		opened = opened || n.open
	}
	if !opened {
		return out
	}
	var flat []Item
	for i := range out {
		if from[i] != nil && from[i].open && len(out[i].Inner) > 0 {
			flat = append(flat, out[i].Inner...)
		} else {
			flat = append(flat, out[i])
		}
	}
	return flat
}

// item is one of some lines.
func item(n *node, first, last int, owner string) Item {
	out := Item{First: first, Last: last, Kind: n.kind, Symbol: n.symbol}
	if n.kind == "" {
		out.Symbol = ""
		if n.name != "" {
			out.Kind, out.Symbol = document.KindBlock, within(owner, n.name)
		}
	}
	return out
}

// signature is the line of a node, where it says more than that one begins.
func (t *tree) signature(n *node) string {
	line := signature(trimSpace(t.text.Line(t.text.LineAt(n.at))))
	if strings.Trim(line, "-[]{},") == "" {
		return ""
	}
	return line
}

// within is the name of a part of owner.
func within(owner, name string) string {
	switch {
	case owner == "":
		return name
	case name == "":
		return owner
	case len(owner)+len(name) > longestName:
		return name
	}
	return owner + "." + name
}

// longestName is how many bytes a name has that people type.
const longestName = 120

// naming are the members that name what has them, the best first.
var naming = []string{"name", "id", "title", "key"}

// label is a value that may name what holds it, "" where it is none.
func label(value []byte) string {
	if len(value) == 0 || len(value) > longestName/2 || bytes.ContainsAny(value, "\n\t\\{}[]") {
		return ""
	}
	return strings.ToValidUTF8(string(value), "")
}
