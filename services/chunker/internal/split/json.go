package split

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
)

// byJSON cuts JSON at the members and elements of what is too large for a passage, and at
// each value of JSON lines. An API that it describes is cut at its operations and schemas.
func byJSON(text *Text, opt Options) []document.Span {
	r := jsonReader{b: text.Bytes, max: opt.Max, api: describesAPI(text.Bytes)}
	nodes := r.read()
	if len(nodes) == 1 && len(nodes[0].inner) > 0 {
		nodes[0].open = true
		if r.api {
			openAPI(nodes[0].inner)
		}
	}
	return structured(text, "json", nodes, opt)
}

// jsonReader finds the nodes of JSON with comments and without quotes around keys: what
// is none of it is passed over.
type jsonReader struct {
	b     []byte
	max   int
	api   bool        // all parts are needed
	stack []jsonFrame // the outermost is the whole content
	lead  int         // where the comments before the next node begin; -1: there are none
	// names has each key once, and spare what nodes of small objects were kept in: most
	// of a large content is neither.
	names map[string]string
	spare [][]node
	kept  int // nodes
	over  int // brackets that are open below the deepest frame
}

// jsonFrame is an object or an array that is open, and the whole content at last.
type jsonFrame struct {
	object bool
	nodes  []node
	key    string // of the member at hand
	start  int    // of its key or the comments above it; -1: there is none at hand
	at     int    // of its key
	name   string // a member that names the object
	rank   int
}

func (r *jsonReader) read() []node {
	r.stack, r.lead = []jsonFrame{{start: -1, rank: len(naming)}}, -1
	for i := 0; i < len(r.b); {
		top := &r.stack[len(r.stack)-1]
		if r.over > 0 {
			i = r.below(i)
			continue
		}
		switch c := r.b[i]; c {
		case ' ', '\t', '\r', '\n', ',', 0xef, 0xbb, 0xbf:
			i++
		case '{', '[':
			if !top.object || top.start < 0 {
				top.begin(r, i)
			}
			r.push(c == '{')
			i++
		case '}', ']':
			i++
			if len(r.stack) > 1 {
				r.close(i)
			}
		case ':':
			i++
		case '/':
			if r.lead < 0 && (top.start < 0 || !top.object) {
				r.lead = i
			}
			i = r.comment(i)
		default:
			end := r.scalar(i)
			if top.object && top.start < 0 {
				top.begin(r, i)
				top.key, i = r.key(unquoted(r.b[i:end])), end
				continue
			}
			if !top.object {
				top.begin(r, i)
			}
			top.named(top.key, unquoted(r.b[i:end]))
			r.add(node{start: top.start, at: top.at, name: top.key, symbol: value(top, r.b[i:end])})
			i = end
		}
	}
	for len(r.stack) > 1 { // breaks off
		r.close(len(r.b))
	}
	return r.stack[0].nodes
}

// below passes over what lies too deep.
func (r *jsonReader) below(i int) int {
	switch r.b[i] {
	case '{', '[':
		r.over++
	case '}', ']':
		r.over--
	case '"', '\'':
		return r.scalar(i)
	}
	return i + 1
}

// push opens an object or an array.
func (r *jsonReader) push(object bool) {
	if len(r.stack) > deepest {
		r.over++
		return
	}
	f := jsonFrame{object: object, start: -1, rank: len(naming)}
	if n := len(r.spare); n > 0 {
		f.nodes, r.spare = r.spare[n-1], r.spare[:n-1]
	}
	r.stack = append(r.stack, f)
}

// maxNames is how many keys are kept to be there once; a content with more has them in
// place of ids.
const maxNames = 10_000

func (r *jsonReader) key(b []byte) string {
	if name, ok := r.names[string(b)]; ok {
		return name
	}
	name := label(b)
	if len(r.names) < maxNames {
		if r.names == nil {
			r.names = map[string]string{}
		}
		r.names[string(b)] = name
	}
	return name
}

// begin notes where a member or an element begins: with the comments above it.
func (f *jsonFrame) begin(r *jsonReader, i int) {
	f.start, f.at = i, i
	if r.lead >= 0 {
		f.start, r.lead = r.lead, -1
	}
}

// value is kept where it may say what an operation is called.
func value(top *jsonFrame, b []byte) string {
	if top.key == "operationId" {
		return label(unquoted(b))
	}
	return ""
}

func (f *jsonFrame) named(key string, value []byte) {
	if i := slices.Index(naming, key); i >= 0 && i < f.rank {
		if l := label(value); l != "" {
			f.name, f.rank = l, i
		}
	}
}

// close ends the object or array on top, which is a node of the one below.
func (r *jsonReader) close(end int) {
	f := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	top := &r.stack[len(r.stack)-1]
	r.lead = -1
	n := node{start: top.start, at: top.at, name: top.key}
	if n.name == "" && !top.object {
		n.name = f.name
	}
	if (end-n.start > r.max || r.api || len(r.stack) == 1) && len(r.stack) <= deepest {
		n.inner = f.nodes
	} else {
		r.kept -= len(f.nodes)
		clear(f.nodes)
		r.spare = append(r.spare, f.nodes[:0])
	}
	r.add(n)
}

// add notes a node of the object or array on top.
func (r *jsonReader) add(n node) {
	top := &r.stack[len(r.stack)-1]
	if len(r.stack) <= deepest && (r.kept < mostNodes || len(n.inner) > 0) {
		top.nodes, r.kept = append(top.nodes, n), r.kept+1
	}
	top.key, top.start = "", -1
}

// comment is the end of what begins with a slash.
func (r *jsonReader) comment(i int) int {
	if i+1 < len(r.b) && r.b[i+1] == '/' {
		for i < len(r.b) && r.b[i] != '\n' {
			i++
		}
		return i
	}
	if i+1 < len(r.b) && r.b[i+1] == '*' {
		for i += 2; i < len(r.b); i++ {
			if r.b[i] == '/' && r.b[i-1] == '*' {
				return i + 1
			}
		}
		return i
	}
	return i + 1
}

// scalar is the end of a string, a number or a word.
func (r *jsonReader) scalar(i int) int {
	if q := r.b[i]; q == '"' || q == '\'' {
		for k := i + 1; k < len(r.b); k++ {
			switch r.b[k] {
			case '\\':
				k++
			case q:
				return k + 1
			case '\n':
				return k // not closed: the line is enough
			}
		}
		return len(r.b)
	}
	k := i + 1
	for k < len(r.b) {
		switch r.b[k] {
		case ' ', '\t', '\r', '\n', ',', ':', '{', '}', '[', ']', '"':
			return k
		}
		k++
	}
	return k
}

func unquoted(b []byte) []byte {
	if len(b) >= 2 && (b[0] == '"' || b[0] == '\'') && b[len(b)-1] == b[0] {
		return b[1 : len(b)-1]
	}
	return b
}
