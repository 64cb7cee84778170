package syntax

import (
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"github.com/freshet-dev/freshet/pkg/document"
)

// called is what a node means that is a call: the name that is called says it.
func (w *walker) called(node *sitter.Node) spec {
	switch node.Type() {
	case "unary_operator": // of Elixir: "@doc …"
		operand := node.ChildByFieldName("operand")
		if operand == nil || w.content[node.StartByte()] != '@' {
			return spec{role: rolePlain}
		}
		return elixirAttribute(target(w, operand))
	default:
		if node.ChildByFieldName("method") != nil {
			return rubyCall(string(w.of(node.ChildByFieldName("method"))))
		}
		return elixirCall(target(w, node))
	}
}

// target is the name that a call of Elixir calls.
func target(w *walker, node *sitter.Node) string {
	if t := node.ChildByFieldName("target"); t != nil {
		return string(w.of(t))
	}
	return string(w.of(node))
}

// identifiers are nodes that are names, and holders what these may stand in.
var (
	identifiers = []string{"simple_identifier", "type_identifier", "name", "identifier", "message_name", "enum_name", "service_name", "rpc_name"}
	holders     = []string{"variable_declaration", "const_element", "property_element", "variable_name"}
)

// identifier is the first name among the children of a node.
func identifier(w *walker, node *sitter.Node) []string {
	for i := range int(node.NamedChildCount()) {
		child := node.NamedChild(i)
		switch {
		case child == nil:
		case slices.Contains(identifiers, child.Type()):
			return w.named(child)
		case slices.Contains(holders, child.Type()):
			return identifier(w, child)
		}
	}
	return nil
}

// keyword is the word that a definition without a name of its own begins with.
func keyword(node *sitter.Node) []string {
	name := strings.TrimSuffix(strings.TrimSuffix(node.Type(), "_declaration"), "_constructor")
	if name == "secondary" {
		name = "constructor"
	}
	return []string{name}
}

// referred is how Terraform refers to the first word of a block.
var referred = map[string]string{"variable": "var.", "data": "data.", "module": "module."}

// labels are the labels of a block of HCL, as others refer to it: a resource by its type
// and its name.
func labels(w *walker, node *sitter.Node) []string {
	kind, name := "", ""
	for i := range int(node.NamedChildCount()) {
		child := node.NamedChild(i)
		switch {
		case child == nil:
		case child.Type() == "identifier" && kind == "":
			kind = string(w.of(child))
		case child.Type() == "string_lit", child.Type() == "identifier":
			name += "." + strings.Trim(string(w.of(child)), `"`)
		}
	}
	if name == "" {
		return nil
	}
	return []string{referred[kind] + name[1:]}
}

// constant is the left side of an assignment of Ruby.
func constant(w *walker, node *sitter.Node) []string {
	left := node.ChildByFieldName("left")
	if left == nil || left.Type() != "constant" {
		return nil
	}
	return w.plainName(left)
}

// value names a function or an assignment of Lua.
func (w *walker) value(m *mark, node *sitter.Node) []string {
	value := node.ChildByFieldName("value")
	if value != nil && value.Type() == "function" {
		m.item.Kind = document.KindFunction
	}
	if m.item.Kind == document.KindFunction {
		return w.named(node.ChildByFieldName("name"))
	}
	if value != nil && m.last == m.item.First && strings.HasPrefix(string(w.of(value)), "require") {
		m.lead = true
	}
	return w.plainName(node.ChildByFieldName("name"))
}

// argument is what the first argument of a call of Elixir names: a module, or a
// function with its arguments and a guard.
func argument(w *walker, node *sitter.Node) []string {
	var args *sitter.Node
	for i := range int(node.NamedChildCount()) {
		if child := node.NamedChild(i); child != nil && child.Type() == "arguments" {
			args = child
			break
		}
	}
	if args == nil {
		return nil
	}
	at := args.NamedChild(0)
	for at != nil {
		switch at.Type() {
		case "alias", "identifier", "atom":
			return w.named(at)
		case "call":
			at = at.ChildByFieldName("target")
		case "binary_operator": // "name(…) when guard", or the operator that is defined
			at = at.ChildByFieldName("left")
		default:
			return nil
		}
	}
	return nil
}
