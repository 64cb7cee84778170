package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Value is one key of a section, with its value as it is written in a file.
type Value struct{ Key, Text string }

// Text is a text as the value of a key, in quotes where it needs some.
func Text(s string) string { return strconv.Quote(s) }

// Edit puts the values of a section into the text of a configuration file: the keys of
// owned that stand there now make way for them. All else stays as it is, with its
// comments. A value of "" keeps what stands there. file names it in errors, which are
// InvalidRequest where the section is not written in lines of its own.
func Edit(file string, text []byte, section string, owned []string, values []Value) ([]byte, error) {
	e := editor{file: file, lines: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")}
	if len(text) == 0 {
		e.lines = nil
	}
	at, err := e.find(text, strings.Split(section, "."))
	if err != nil {
		return nil, err
	}
	var put []string
	for _, v := range values {
		if old := at.keys[v.Key]; v.Text == "" && old.from > 0 {
			v.Text = strings.TrimSpace(strings.SplitN(e.lines[old.from-1], ":", 2)[1])
		}
		if v.Text != "" {
			put = append(put, strings.Repeat(" ", at.indent)+v.Key+": "+v.Text)
		}
	}
	var gone []block
	for _, key := range owned {
		if old := at.keys[key]; old.from > 0 {
			gone = append(gone, old)
		}
	}
	slices.SortFunc(gone, func(a, b block) int { return b.from - a.from })
	for _, b := range gone {
		e.lines = slices.Delete(e.lines, b.from-1, b.to)
	}
	e.lines = slices.Insert(e.lines, at.after, slices.Concat(at.missing, put)...)
	return []byte(strings.Join(e.lines, "\n") + "\n"), nil
}

// Written is the value of a key as it is written in the section of a file; "" where it is
// not.
func Written(file string, text []byte, section, key string) (string, error) {
	e := editor{file: file, lines: strings.Split(string(text), "\n")}
	at, err := e.find(text, strings.Split(section, "."))
	if err != nil || at.keys[key].from == 0 {
		return "", err
	}
	return strings.TrimSpace(strings.SplitN(e.lines[at.keys[key].from-1], ":", 2)[1]), nil
}

// editor changes the lines of a file.
type editor struct {
	file  string
	lines []string
}

// block are the lines of a key with its value, counted from 1; to is the last one.
type block struct{ from, to int }

// place is where the keys of a section stand, or would.
type place struct {
	keys    map[string]block
	indent  int      // of the keys
	after   int      // the line behind which they stand
	missing []string // lines that have to stand before them
}

func (e *editor) find(text []byte, path []string) (at place, err error) {
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return at, document.Errorf(document.InvalidRequest, "%s is not YAML: %s", e.file, oneLine(err))
	}
	var node ast.Node
	for _, doc := range tree.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			node = doc.Body
			break
		}
	}
	at.after = len(e.lines)
	for i, key := range path {
		found, err := e.child(node, key, strings.Join(path[:i], "."))
		if err != nil {
			return at, err
		}
		if found == nil {
			for _, missing := range path[i:] {
				at.missing = append(at.missing, strings.Repeat(" ", at.indent)+missing+":")
				at.indent += 2
			}
			return at, nil
		}
		node = found.Value
		token := found.Key.GetToken().Position
		at.after, at.indent = token.Line, token.Column-1+2
		if children, err := e.children(node, strings.Join(path[:i+1], ".")); err != nil {
			return at, err
		} else if len(children) > 0 {
			at.indent = children[0].Key.GetToken().Position.Column - 1
		}
	}
	children, err := e.children(node, strings.Join(path, "."))
	at.keys = map[string]block{}
	for _, c := range children {
		at.keys[c.Key.GetToken().Value] = e.block(c)
	}
	return at, err
}

// child is the key of a mapping; nil where it is not there.
func (e *editor) child(node ast.Node, key, at string) (*ast.MappingValueNode, error) {
	children, err := e.children(node, at)
	for _, c := range children {
		if c.Key.GetToken().Value == key {
			return c, nil
		}
	}
	return nil, err
}

// children are the keys of a mapping that is written in lines of its own.
func (e *editor) children(node ast.Node, at string) ([]*ast.MappingValueNode, error) {
	switch n := node.(type) {
	case nil, *ast.NullNode:
		return nil, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, nil
	case *ast.MappingNode:
		if !n.IsFlowStyle {
			return n.Values, nil
		}
	}
	return nil, document.Errorf(document.InvalidRequest, "%s:%d: %s is not written as keys in lines of their own: write it so, or change it yourself", e.file, node.GetToken().Position.Line, orTop(at))
}

// block are the lines of a key: with those below that are further to the right.
func (e *editor) block(n *ast.MappingValueNode) block {
	p := n.Key.GetToken().Position
	b := block{p.Line, p.Line}
	for i := p.Line; i < len(e.lines); i++ {
		line := strings.TrimLeft(e.lines[i], " ")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(e.lines[i])-len(line) < p.Column {
			break
		}
		b.to = i + 1
	}
	return b
}

// EmbedderSection is the key of what makes the vectors of a collection; "" is all that
// have nothing of their own.
func EmbedderSection(name document.Collection) string {
	if name == "" {
		return "embedder"
	}
	return fmt.Sprintf("collections.%s.embedder", name)
}

// EmbedderKeys are those that decide which vectors there are, and who makes them.
func EmbedderKeys() []string { return keysOf(reflect.TypeFor[OwnEmbedder]()) }
