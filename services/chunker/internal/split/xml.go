package split

import (
	"bytes"

	"github.com/freshet-dev/freshet/pkg/document"
)

// byXML cuts XML at the elements of what is too large for a passage.
func byXML(text *Text, opt Options) []document.Span {
	r := xmlReader{b: text.Bytes, max: opt.Max}
	nodes := r.read()
	for i := range nodes {
		nodes[i].open = len(nodes[i].inner) > 0
	}
	return structured(text, "xml", nodes, opt)
}

// xmlReader finds elements by their tags. A tag that nobody opened or closes costs no more
// than the names around it.
type xmlReader struct {
	b     []byte
	max   int
	stack []xmlFrame
	lead  int // where the comments before the next element begin; -1: there are none
	kept  int // nodes
	over  int // elements that are open below the deepest frame
}

type xmlFrame struct {
	tag   string
	node  node
	nodes []node
}

func (r *xmlReader) read() []node {
	r.stack = []xmlFrame{{}}
	r.lead = -1
	for i := 0; i < len(r.b); {
		open := bytes.IndexByte(r.b[i:], '<')
		if open < 0 {
			break
		}
		if len(trimSpace(r.b[i:i+open])) > 0 {
			r.lead = -1
		}
		i += open
		switch rest := r.b[i:]; {
		case bytes.HasPrefix(rest, []byte("<!--")):
			if r.lead < 0 {
				r.lead = i
			}
			i = r.behind(i+4, "-->")
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			i = r.behind(i+9, "]]>")
		case bytes.HasPrefix(rest, []byte("<?")):
			i = r.behind(i+2, "?>")
		case bytes.HasPrefix(rest, []byte("<!")):
			i = r.declaration(i)
		case bytes.HasPrefix(rest, []byte("</")):
			end := r.behind(i+2, ">")
			r.close(string(tagOf(r.b[i+2:end])), end)
			i = end
		default:
			i = r.element(i)
		}
	}
	for len(r.stack) > 1 {
		r.pop(len(r.b))
	}
	return r.stack[0].nodes
}

// behind is where a mark ends.
func (r *xmlReader) behind(i int, mark string) int {
	if n := bytes.Index(r.b[i:], []byte(mark)); n >= 0 {
		return i + n + len(mark)
	}
	return len(r.b)
}

// declaration is the end of a document type, whose brackets may hold others.
func (r *xmlReader) declaration(i int) int {
	depth := 0
	for ; i < len(r.b); i++ {
		switch r.b[i] {
		case '[':
			depth++
		case ']':
			depth--
		case '>':
			if depth <= 0 {
				return i + 1
			}
		}
	}
	return i
}

// element reads a tag that opens.
func (r *xmlReader) element(i int) int {
	tag := tagOf(r.b[i+1:])
	if len(tag) == 0 {
		return i + 1
	}
	end, quote := i+1, byte(0)
	for ; end < len(r.b); end++ {
		c := r.b[end]
		if quote != 0 {
			if c == quote {
				quote = 0
			}
			continue
		}
		if c == '"' || c == '\'' {
			quote = c
		} else if c == '>' {
			end++
			break
		}
	}
	closed := end >= 2 && r.b[end-1] == '>' && r.b[end-2] == '/'
	if len(r.stack) > deepest {
		if !closed {
			r.over++
		}
		return end
	}
	n := node{start: i, at: i, name: attribute(r.b[i:end])}
	if r.lead >= 0 {
		n.start, r.lead = r.lead, -1
	}
	if n.name == "" {
		n.name = label(tag)
	}
	r.stack = append(r.stack, xmlFrame{tag: string(tag), node: n})
	if closed {
		r.pop(end)
	}
	return end
}

// close ends the element of that tag, and those within it that nobody has closed.
func (r *xmlReader) close(tag string, end int) {
	if r.over > 0 {
		r.over--
		return
	}
	for i := len(r.stack) - 1; i > 0; i-- {
		if r.stack[i].tag == tag {
			for len(r.stack) > i {
				r.pop(end)
			}
			return
		}
	}
}

func (r *xmlReader) pop(end int) {
	f := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	if end-f.node.start > r.max || len(r.stack) == 1 {
		f.node.inner = f.nodes
	} else {
		r.kept -= len(f.nodes)
	}
	if r.kept < mostNodes || len(f.node.inner) > 0 {
		top := &r.stack[len(r.stack)-1]
		top.nodes, r.kept = append(top.nodes, f.node), r.kept+1
	}
}

// tagOf is the name that a tag begins with.
func tagOf(b []byte) []byte {
	n := 0
	for n < len(b) && (isWord(b[n]) || b[n] >= 0x80 || n > 0 && (b[n] == '-' || b[n] == '.' || b[n] == ':')) {
		n++
	}
	return b[:n]
}

// attribute is what an element is called by one of its attributes.
func attribute(tag []byte) string {
	if len(tag) > 2000 {
		tag = tag[:2000]
	}
	for _, key := range naming {
		for _, quote := range []string{`"`, `'`} {
			_, after, ok := bytes.Cut(tag, []byte(" "+key+"="+quote))
			if !ok {
				continue
			}
			if value, _, ok := bytes.Cut(after, []byte(quote)); ok {
				if l := label(value); l != "" {
					return l
				}
			}
		}
	}
	return ""
}
