package syntax

import (
	"bytes"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/split"
)

// describe fills kind, symbol, signature and names of a definition.
func (w *walker) describe(m *mark, node *sitter.Node, s spec, owner split.Item) {
	item := &m.item
	item.Kind = s.kind
	var names []string
	switch s.how {
	case byField:
		names = w.named(node.ChildByFieldName("name"))
	case byType:
		names = w.named(node.ChildByFieldName("type"))
		if len(names) > 0 {
			names[0] = bare(names[0])
		}
	case byReceiver:
		names = w.named(node.ChildByFieldName("name"))
		if r := receiver(w.of(node.ChildByFieldName("receiver"))); r != "" && len(names) > 0 {
			names[0] = r + "." + names[0]
		}
	case bySpecs:
		names = w.specs(node, 24)
	case byDeclarator:
		names = w.declared(item, node)
	case byFields:
		names = w.fields(node)
	case byMacro:
		names = w.named(node.ChildByFieldName("name"))
		m.lead = m.last == item.First
	case byAssignment:
		names = w.assigned(m, node)
	case byVariable:
		names = w.variable(m, node)
	case byExpression:
		names = w.expression(m, node)
	case byIdentifier:
		names = identifier(w, node)
	case byKeyword:
		names = keyword(node)
	case byPattern:
		names = w.plainName(node.ChildByFieldName("pattern"))
	case byConstant:
		names = constant(w, node)
	case byValue:
		names = w.value(m, node)
	case byLabels:
		names = labels(w, node)
	case byArgument:
		names = argument(w, node)
	}
	if len(names) == 0 {
		if s.how != byField && s.how != byType {
			item.Kind = ""
		}
		return
	}
	if item.Kind == document.KindFunction && (owner.Kind == document.KindClass || owner.Kind == document.KindType) {
		item.Kind = document.KindMethod
	}
	item.Symbol, item.Names = names[0], names[1:]
	if owner.Symbol != "" && item.Kind != document.KindModule {
		item.Symbol = owner.Symbol + "." + item.Symbol
	}
	item.Signature = w.signature(node)
}

// of is the text of a node, at most 200 bytes; empty for nil.
func (w *walker) of(node *sitter.Node) []byte {
	if node == nil {
		return nil
	}
	start, end := w.extentOf(node)
	if start >= end {
		return nil
	}
	return w.content[start:min(end, start+200)]
}

// named is the text of a node as a list of one name, empty unless it is one.
func (w *walker) named(node *sitter.Node) []string {
	text := w.of(node)
	if len(text) == 0 || bytes.ContainsAny(text, "\n{[(\r") && !bytes.HasPrefix(text, []byte("operator")) {
		return nil
	}
	name := scopes.Replace(string(text))
	if node.Type() == "function_name" { // of Lua
		name = strings.ReplaceAll(name, ":", ".")
	}
	return []string{strings.Trim(name, "\"'`")}
}

// scopes writes what stands between a type and its member in one way.
var scopes = strings.NewReplacer("::", ".", "\\", ".")

// bare is a type without its parameters and references.
func bare(name string) string {
	name = strings.TrimLeft(name, "&* ")
	name = strings.TrimPrefix(name, "mut ")
	if i := strings.IndexByte(name, '<'); i > 0 {
		name = name[:i]
	}
	return name
}

// receiver is the type in "(s *Server[T])".
func receiver(text []byte) string {
	name := strings.Trim(string(text), "() ")
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i]
	}
	if i := strings.LastIndexAny(name, " *\t"); i >= 0 {
		name = name[i+1:]
	}
	return name
}

// specs are the names of a Go declaration's specs, at most limit.
func (w *walker) specs(node *sitter.Node, limit int) []string {
	var out []string
	count := min(int(node.NamedChildCount()), limit)
	for i := range count {
		child := node.NamedChild(i)
		if child == nil {
			continue
		}
		if name := child.ChildByFieldName("name"); name != nil {
			out = append(out, w.named(name)...)
		} else if len(out) == 0 && child.NamedChildCount() > 0 && count == 1 {
			out = append(out, w.specs(child, limit)...)
		}
	}
	return out
}

// fields are the names of a C# declaration of fields, behind its attributes and
// modifiers.
func (w *walker) fields(node *sitter.Node) []string {
	for i := range int(node.NamedChildCount()) {
		if child := node.NamedChild(i); child != nil && child.Type() == "variable_declaration" {
			return w.specs(child, 24)
		}
	}
	return nil
}

// declared follows the declarators of C, C++ and Java down to the name.
func (w *walker) declared(item *split.Item, node *sitter.Node) []string {
	next := node.ChildByFieldName("declarator")
	if next == nil {
		if t := node.ChildByFieldName("type"); t != nil && t.ChildByFieldName("body") != nil {
			item.Kind = document.KindType
			return w.named(t.ChildByFieldName("name"))
		}
		return nil
	}
	for range 12 {
		if next.Type() == "function_declarator" && item.Kind == document.KindVariable {
			item.Kind = document.KindFunction
		}
		inner := next.ChildByFieldName("declarator")
		if inner == nil && (next.Type() == "parenthesized_declarator" || next.Type() == "reference_declarator") {
			inner = next.NamedChild(0)
		}
		if inner == nil {
			break
		}
		next = inner
	}
	if name := next.ChildByFieldName("name"); name != nil && next.Type() == "variable_declarator" {
		next = name
	}
	names := w.named(next)
	if len(names) > 0 && strings.Contains(names[0], ".") && item.Kind == document.KindFunction {
		item.Kind = document.KindMethod
	}
	return names
}

// assigned is the left side of an assignment in Python. A string at the top of
// the file is its docstring.
func (w *walker) assigned(m *mark, node *sitter.Node) []string {
	text := w.of(node)
	trimmed := bytes.TrimLeft(text, "rRuUbBfF")
	if len(trimmed) > 0 && len(text)-len(trimmed) < 3 && (trimmed[0] == '"' || trimmed[0] == '\'') {
		m.lead = true
		return nil
	}
	child := node.NamedChild(0)
	if child == nil || child.Type() != "assignment" {
		return nil
	}
	return w.plainName(child.ChildByFieldName("left"))
}

// plainName is named for a node that is a single identifier.
func (w *walker) plainName(node *sitter.Node) []string {
	text := w.of(node)
	if len(text) == 0 || bytes.ContainsAny(text, " ,.;\n") {
		return nil
	}
	return w.named(node)
}

// variable names a declaration of JavaScript; one that holds a function or a
// class is that.
func (w *walker) variable(m *mark, node *sitter.Node) []string {
	child := node.NamedChild(0)
	if child == nil {
		return nil
	}
	if m.last == m.item.First && bytes.Contains(w.of(node), []byte("require(")) {
		m.lead = true
	}
	m.item.Kind = first(valueKind(child.ChildByFieldName("value")), m.item.Kind)
	return w.plainName(child.ChildByFieldName("name"))
}

// expression names "exports.name = function", "Type.prototype.name = …" and
// the like; other expressions define nothing.
func (w *walker) expression(m *mark, node *sitter.Node) []string {
	if text := w.of(node); len(text) > 0 && (text[0] == '"' || text[0] == '\'') && m.last == m.item.First {
		m.lead = true // "use strict"
		return nil
	}
	child := node.NamedChild(0)
	if child == nil || child.Type() != "assignment_expression" {
		return nil
	}
	kind := valueKind(child.ChildByFieldName("right"))
	names := w.named(child.ChildByFieldName("left"))
	if kind == "" || len(names) == 0 {
		return nil
	}
	m.item.Kind = kind
	name := strings.TrimPrefix(names[0], "module.")
	name = strings.TrimPrefix(name, "exports.")
	names[0] = strings.Replace(name, ".prototype.", ".", 1)
	return names
}

func valueKind(value *sitter.Node) string {
	if value == nil {
		return ""
	}
	switch value.Type() {
	case "arrow_function", "function", "function_expression", "generator_function":
		return document.KindFunction
	case "class", "class_expression":
		return document.KindClass
	}
	return ""
}

func first(kinds ...string) string {
	for _, k := range kinds {
		if k != "" {
			return k
		}
	}
	return ""
}

// body is the part of a definition that is not its signature, nil where the grammar
// does not tell them apart.
func (w *walker) body(node *sitter.Node) *sitter.Node {
	if body := node.ChildByFieldName("body"); body != nil {
		return body
	}
	for i := int(node.NamedChildCount()) - 1; i >= 0; i-- {
		if child := node.NamedChild(i); child != nil && w.spec(child).role == roleBody {
			return child
		}
	}
	return nil
}

// signatureBytes limits a signature: it stands above every piece of a large
// definition.
const signatureBytes = 240

// signature is the text of a definition up to its body, on one line.
func (w *walker) signature(node *sitter.Node) string {
	start, end := w.extentOf(node)
	end = min(end, start+4*signatureBytes)
	if body := w.body(node); body != nil {
		if at := int(body.StartByte()); at > start && at < end {
			end = at
		}
	} else if i := bytes.IndexAny(w.content[start:end], "\n\r{"); i > 0 {
		end = start + i
	}
	text := strings.Join(strings.Fields(string(w.content[start:end])), " ")
	if len(text) > signatureBytes {
		text = text[:signatureBytes]
	}
	return strings.TrimRight(text, " {:=(")
}
