package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Value is one key of a section, with its value as it is written in a file.
type Value struct{ Key, Text string }

// Text is a text as the value of a key, in quotes where it needs some.
func Text(s string) string { return strconv.Quote(s) }

// Edit puts the values of a section into the text of a configuration file: the keys of
// owned that stand there now make way for them. All else stays as it is, with its
// comments and its ends of lines. A value of "" keeps what stands there. file names it in
// errors, which are InvalidRequest where the section is not written in lines of its own.
func Edit(file string, text []byte, section string, owned []string, values []Value) ([]byte, error) {
	e := newEditor(file, text)
	at, err := e.find(strings.Split(section, "."))
	if err != nil {
		return nil, err
	}
	var put []string
	for _, v := range values {
		if v.Text == "" {
			v.Text = e.written(at, v.Key)
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
	return []byte(e.mark + strings.Join(e.lines, e.end) + e.end), nil
}

// Written is the value of a key as it is written in the section of a file; "" where it is
// not.
func Written(file string, text []byte, section, key string) (string, error) {
	e := newEditor(file, text)
	at, err := e.find(strings.Split(section, "."))
	if err != nil {
		return "", err
	}
	return e.written(at, key), nil
}

// editor changes the lines of a file.
type editor struct {
	file  string
	mark  string // that some editors begin a file with
	lines []string
	end   string // of each line
}

func newEditor(file string, text []byte) *editor {
	e := &editor{file: file, end: "\n"}
	plain := plainLines(text)
	if strings.Contains(string(text), "\r\n") {
		e.end = "\r\n"
	}
	if strings.HasPrefix(string(text), byteOrderMark) {
		e.mark = byteOrderMark
	}
	if len(plain) > 0 {
		e.lines = strings.Split(strings.TrimSuffix(plain, "\n"), "\n")
	}
	return e
}

// block are the lines of a key with its value, counted from 1; to is the last one.
type block struct {
	from, to int
	value    ast.Node
}

// written is the value of a key as it stands behind it, with its comment. One that goes
// over several lines is written as one.
func (e *editor) written(at place, key string) string {
	b := at.keys[key]
	switch n := b.value.(type) {
	case *ast.StringNode:
		if b.to > b.from {
			return Text(n.Value)
		}
	case *ast.LiteralNode:
		return Text(n.Value.Value)
	case nil:
		return ""
	}
	_, value, _ := strings.Cut(e.lines[b.from-1], ":")
	return strings.TrimSpace(value)
}

// place is where the keys of a section stand, or would.
type place struct {
	keys    map[string]block
	indent  int      // of the keys
	after   int      // the line behind which they stand
	missing []string // lines that have to stand before them
}

func (e *editor) find(path []string) (at place, err error) {
	tree, err := parser.ParseBytes([]byte(strings.Join(e.lines, "\n")+"\n"), 0)
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
	case nil:
		return nil, nil
	case *ast.NullNode:
		if n.GetToken().Type == token.ImplicitNullType {
			return nil, nil
		}
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
	b := block{p.Line, p.Line, n.Value}
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
