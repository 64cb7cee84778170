package split

import (
	"bytes"
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
)

// byYAML cuts YAML at the keys and items of what is too large for a passage, and at each
// document of a stream. An API that it describes is cut at its operations and schemas.
func byYAML(text *Text, opt Options) []document.Span {
	r := yamlReader{text: text, max: opt.Max, api: describesAPI(text.Bytes)}
	nodes := r.read()
	if r.api {
		openAPI(nodes)
		for i := range nodes {
			if nodes[i].open = nodes[i].open || nodes[i].name == "" && len(nodes) == 1; nodes[i].name == "" {
				openAPI(nodes[i].inner)
			}
		}
	}
	return structured(text, "yaml", nodes, opt)
}

// yamlReader finds keys and items by their columns. A flow of braces and a text of several
// lines belong to the key above them.
type yamlReader struct {
	text  *Text
	max   int
	api   bool // all parts are needed
	stack []yamlFrame
	at    int // where the line at hand begins
	kept  int // nodes
}

// yamlFrame is a mapping or a list. Its column counts twice, and one more for the dashes
// of a list, which may stand below the first letter of its key.
type yamlFrame struct {
	column     int
	nodes      []node
	name, kind string // what names the mapping
	rank       int
}

func (r *yamlReader) read() []node {
	r.stack = []yamlFrame{{column: -1, rank: len(naming)}}
	lead := -1 // the first of the comments above the line
	streams := bytes.Contains(r.text.Bytes, []byte("\n---"))
	for i := 0; i < r.text.Lines(); i++ {
		line := r.text.Line(i)
		trimmed := trimSpace(line)
		if len(trimmed) == 0 {
			lead = -1
			continue
		}
		if trimmed[0] == '#' {
			if lead < 0 {
				lead = r.text.Start(i)
			}
			continue
		}
		r.at = r.text.Start(i)
		start := r.at + len(line) - len(bytes.TrimLeft(line, " \t"))
		if i == 0 && bytes.HasPrefix(r.text.Bytes, byteOrderMark) {
			start += len(byteOrderMark)
		}
		from := start
		if lead >= 0 {
			from = lead
		}
		lead = -1
		column := indentOf(line)
		if column == 0 && (bytes.HasPrefix(trimmed, []byte("---")) || string(trimmed) == "...") {
			r.closeTo(-1)
			if streams && trimmed[0] == '-' {
				r.begin(-1, node{start: from, at: start})
				r.push(0)
			}
			continue
		}
		i = r.line(i, trimmed, column, from, start, streams)
	}
	r.at = len(r.text.Bytes)
	r.closeTo(-1)
	return r.stack[0].nodes
}

// line notes the item and the key of a line, and returns the last line that belongs to it.
func (r *yamlReader) line(i int, rest []byte, column, from, start int, streams bool) int {
	if streams && len(r.stack) == 1 && len(r.stack[0].nodes) == 0 {
		r.begin(-1, node{start: from, at: start}) // the first document needs no dashes
		r.push(0)
	}
	for len(rest) > 0 && rest[0] == '-' && (len(rest) == 1 || rest[1] == ' ') {
		r.begin(2*column+1, node{start: from, at: start})
		inner := bytes.TrimLeft(rest[1:], " ")
		moved := len(rest) - len(inner)
		column, from, start, rest = column+moved, start+moved, start+moved, inner
	}
	key, value, ok := yamlKey(rest)
	if ok {
		r.begin(2*column, node{start: from, at: start, name: label(key), symbol: operation(key, value)})
		if k := string(key); k == "kind" {
			r.stack[len(r.stack)-1].kind = label(value)
		} else {
			r.named(k, value)
		}
		rest = value
	}
	if len(rest) > 0 && (rest[0] == '|' || rest[0] == '>') && len(rest) < 4 {
		for i+1 < r.text.Lines() {
			if next := indentOf(r.text.Line(i + 1)); next >= 0 && next <= column-b2i(!ok) {
				break
			}
			i++
		}
	}
	return i
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// operation keeps what an operation of an API is called.
func operation(key, value []byte) string {
	if string(key) == "operationId" {
		return label(value)
	}
	return ""
}

// named notes what a mapping is called, and the document that it is the second level of.
func (r *yamlReader) named(key string, value []byte) {
	top := &r.stack[len(r.stack)-1]
	if i := slices.Index(naming, key); i >= 0 && i < top.rank {
		if l := label(value); l != "" {
			top.name, top.rank = l, i
		}
	}
}

// begin ends what stands right of a column, and notes a node at it.
func (r *yamlReader) begin(column int, n node) {
	r.closeTo(column)
	if r.stack[len(r.stack)-1].column < column {
		if len(r.stack) > deepest {
			return
		}
		r.stack = append(r.stack, yamlFrame{column: column, rank: len(naming)})
	}
	top := &r.stack[len(r.stack)-1]
	if r.kept < mostNodes {
		top.nodes, r.kept = append(top.nodes, n), r.kept+1
	}
}

// push opens the keys of a document.
func (r *yamlReader) push(column int) {
	r.stack = append(r.stack, yamlFrame{column: column, rank: len(naming)})
}

// closeTo ends the mappings and lists right of a column.
func (r *yamlReader) closeTo(column int) {
	for len(r.stack) > 1 && r.stack[len(r.stack)-1].column > column {
		f := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		top := &r.stack[len(r.stack)-1]
		if len(top.nodes) == 0 {
			top.nodes = f.nodes
			continue
		}
		n := &top.nodes[len(top.nodes)-1]
		if r.at-n.start > r.max || r.api || len(r.stack) == 1 {
			n.inner = append(n.inner, f.nodes...)
		} else {
			r.kept -= len(f.nodes)
		}
		switch {
		case n.name == "metadata" && f.name != "": // of a Kubernetes object
			top.name, top.rank = f.name, 0
		case n.name == "" && f.kind != "" && f.name != "":
			n.name = f.kind + "." + f.name
		case n.name == "":
			n.name = f.name
		}
	}
}

// yamlKey reads "key: value". A comment behind the value is left out.
func yamlKey(b []byte) (key, value []byte, ok bool) {
	n := 0
	if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
		end := bytes.IndexByte(b[1:], b[0])
		if end < 0 {
			return nil, nil, false
		}
		n = end + 2
	} else {
		for n < len(b) && !(b[n] == ':' && (n+1 == len(b) || b[n+1] == ' ' || b[n+1] == '\t')) {
			if b[n] == '{' || b[n] == '[' && n == 0 || b[n] == '#' && n > 0 && b[n-1] == ' ' {
				return nil, nil, false
			}
			n++
		}
	}
	if n == 0 || n >= len(b) || b[n] != ':' || n+1 < len(b) && b[n+1] != ' ' && b[n+1] != '\t' {
		return nil, nil, false
	}
	value = trimSpace(b[n+1:])
	if i := bytes.Index(value, []byte(" #")); i >= 0 {
		value = trimSpace(value[:i])
	}
	return unquoted(b[:n]), unquoted(value), true
}
