package syntax

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/split"
)

// Definition is a function or method and its doc comment. Lines count from 1,
// both ends included.
type Definition struct {
	Symbol string `json:"symbol"`
	Kind   string `json:"kind"`
	// Start and End are the lines of the definition with its decorations and
	// without a comment above it.
	Start int `json:"start"`
	End   int `json:"end"`
	// DocStart and DocEnd are the lines of the doc comment, which holds nothing
	// else; both 0 where there is none. In Python they lie within the
	// definition, elsewhere right above it.
	DocStart int `json:"doc_start,omitempty"`
	DocEnd   int `json:"doc_end,omitempty"`
}

// Definitions lists the functions and methods of a content in their order, those
// within functions left out. The error is for a language without a grammar.
func (p *Parser) Definitions(language string, content []byte) ([]Definition, error) {
	g, err := p.grammar(language)
	if err != nil {
		return nil, err
	}
	if len(content) > 1<<30 {
		return nil, errTooLong
	}
	tree, err := g.parser.ParseCtx(context.Background(), nil, readable(language, content))
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", language, err)
	}
	defer tree.Close()
	text := split.NewText(content)
	if text.Lines() == 0 {
		return nil, nil
	}
	d := definer{language: language, walker: walker{text: text, content: content, table: g.table}}
	d.children(tree.RootNode(), split.Item{}, 0)
	return d.found, nil
}

// definer collects the definitions of a tree.
type definer struct {
	walker
	language string
	found    []Definition
}

// lines is a stretch of lines, from 0; last is below first where it is empty.
type lines struct{ first, last int }

// children looks at the children of a node in their order, so that the comment
// above a definition is known when it comes.
func (d *definer) children(node *sitter.Node, owner split.Item, depth int) {
	if depth > maxDepth {
		return
	}
	doc := lines{0, -1}
	above := -1 // last line of the comment, or of an attribute below it
	for i := range int(node.NamedChildCount()) {
		child := node.NamedChild(i)
		if child == nil {
			continue
		}
		at, ok := d.extent(child)
		if !ok {
			continue
		}
		if d.spec(child).role == roleComment {
			doc, above = d.comment(child, at, doc, above)
			continue
		}
		if above != at.first-1 {
			doc = lines{0, -1}
		}
		d.visit(child, at, doc, owner, depth)
		doc, above = lines{0, -1}, -1
	}
}

// comment takes a comment up into the one above it, or begins anew. An attribute
// may stand between a comment and its definition.
func (d *definer) comment(node *sitter.Node, at, doc lines, above int) (lines, int) {
	adjoins := doc.last >= doc.first && above == at.first-1
	if !strings.Contains(node.Type(), "comment") {
		if !adjoins {
			doc = lines{0, -1}
		}
		return doc, at.last
	}
	if !d.alone(node, at) {
		return lines{0, -1}, -1
	}
	if adjoins && above == doc.last {
		return lines{doc.first, at.last}, at.last
	}
	return at, at.last
}

// extent is the lines of a node without white space at its end; ok is false for
// an empty one.
func (d *definer) extent(node *sitter.Node) (at lines, ok bool) {
	start, end := d.extentOf(node)
	if start >= end {
		return at, false
	}
	end = start + len(bytes.TrimRight(d.content[start:end], " \t\r\n"))
	if start >= end {
		return at, false
	}
	return lines{d.text.LineAt(start), d.text.LineAt(end - 1)}, true
}

// alone reports whether a node has its lines for itself.
func (d *definer) alone(node *sitter.Node, at lines) bool {
	start, end := d.extentOf(node)
	last := min(d.text.End(at.last), len(d.content))
	behind := ""
	if end < last {
		behind = string(d.content[end:last])
	}
	return len(bytes.TrimSpace(d.content[d.text.Start(at.first):start])) == 0 && strings.Trim(behind, " \t\r;") == ""
}

// visit notes a definition, or looks for definitions inside of the node.
func (d *definer) visit(node *sitter.Node, at, doc lines, owner split.Item, depth int) {
	s := d.spec(node)
	switch s.role {
	case roleWrap:
		d.wrapped(node, at, doc, owner, depth)
	case roleDef, roleContainer:
		m := mark{last: at.last}
		m.item.First = at.first
		d.describe(&m, node, s, owner)
		if m.item.Kind == document.KindFunction || m.item.Kind == document.KindMethod {
			d.add(m.item, node, at, doc)
			return
		}
		if s.role == roleContainer {
			d.children(node, m.item, depth+1)
		} else if s.how == byExpression {
			d.children(node, owner, depth+1) // "namespace N {…}" is an expression
		}
	case roleBody, roleFlat, roleThrough:
		d.children(node, owner, depth+1)
	}
}

// wrapped visits the definition inside of a decoration as if it had the lines of
// the decoration and the comment above it.
func (d *definer) wrapped(node *sitter.Node, at, doc lines, owner split.Item, depth int) {
	if depth > maxDepth {
		return
	}
	for i := range int(node.NamedChildCount()) {
		child := node.NamedChild(i)
		if child == nil {
			continue
		}
		switch d.spec(child).role {
		case roleDef, roleContainer, roleWrap:
			d.visit(child, at, doc, owner, depth+1)
			return
		}
	}
}

func (d *definer) add(item split.Item, node *sitter.Node, at, doc lines) {
	if item.Symbol == "" {
		return
	}
	def := Definition{Symbol: item.Symbol, Kind: item.Kind, Start: at.first + 1, End: at.last + 1}
	if d.language == "python" {
		doc = d.docstring(node)
	}
	if doc.last >= doc.first {
		def.DocStart, def.DocEnd = doc.first+1, doc.last+1
	}
	d.found = append(d.found, def)
}

// docstring is the string that a Python function begins with, where the function
// has more than that and the string has its lines for itself.
func (d *definer) docstring(node *sitter.Node) lines {
	none := lines{0, -1}
	body := node.ChildByFieldName("body")
	if body == nil || body.NamedChildCount() < 2 {
		return none
	}
	first := body.NamedChild(0)
	if first == nil || first.Type() != "expression_statement" || first.NamedChildCount() != 1 || first.NamedChild(0).Type() != "string" {
		return none
	}
	at, ok := d.extent(first)
	if !ok || !d.alone(first, at) {
		return none
	}
	return at
}

// CheckDefinitions checks what every list of definitions has to be: in order,
// within the lines of the content. It guards against a parser that went wrong.
func CheckDefinitions(content []byte, list []Definition) error {
	count, before := split.NewText(content).Lines(), 0
	for i, d := range list {
		documented := d.DocStart != 0 || d.DocEnd != 0
		switch {
		case d.Start < before || d.End < d.Start || d.End > count || d.Start < 1:
			return fmt.Errorf("definition %d has the lines %d to %d of %d", i, d.Start, d.End, count)
		case documented && (d.DocStart < 1 || d.DocEnd < d.DocStart || d.DocEnd > count):
			return fmt.Errorf("definition %d has a comment on the lines %d to %d of %d", i, d.DocStart, d.DocEnd, count)
		}
		before = d.Start
	}
	return nil
}
