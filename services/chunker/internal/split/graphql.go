package split

import (
	"bytes"

	"github.com/freshet-dev/freshet/pkg/document"
)

// byGraphQL cuts GraphQL at its definitions, each with the description above it.
func byGraphQL(text *Text, opt Options) []document.Span {
	b := text.Bytes
	var nodes []node
	depth, lead := 0, -1
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case isSpace(c) || c == ',':
			i++
		case c == '#':
			if depth == 0 && lead < 0 {
				lead = i
			}
			if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(b)
			}
		case c == '"':
			if depth == 0 && lead < 0 {
				lead = i
			}
			i = graphText(b, i)
		case c == '{' || c == '(' || c == '[':
			depth++
			i++
		case c == '}' || c == ')' || c == ']':
			depth = max(0, depth-1)
			i++
		case isWord(c):
			n := wordLen(b[i:])
			if kind, name, ok := graphDefinition(b[i:min(len(b), i+200)]); ok && depth == 0 {
				at := i
				if lead >= 0 {
					at = lead
				}
				if len(nodes) < mostNodes {
					nodes = append(nodes, node{start: at, at: i, kind: kind, symbol: name})
				}
				n = max(n, graphHead(b[i:]))
			}
			lead = -1
			i += n
		default:
			lead = -1
			i++
		}
	}
	return structured(text, "graphql", nodes, opt)
}

// graphText is the end of a text at i.
func graphText(b []byte, i int) int {
	if bytes.HasPrefix(b[i:], []byte(`"""`)) {
		if n := bytes.Index(b[i+3:], []byte(`"""`)); n >= 0 {
			return i + n + 6
		}
		return len(b)
	}
	return i + stringLen(b[i:], '"')
}

var graphKinds = map[string]string{
	"type": document.KindType, "interface": document.KindType, "union": document.KindType, "enum": document.KindType,
	"input": document.KindType, "scalar": document.KindType, "query": document.KindFunction, "mutation": document.KindFunction,
	"subscription": document.KindFunction, "fragment": document.KindFunction, "directive": document.KindFunction, "schema": document.KindBlock,
}

// graphHead is the length of the words that begin a definition, so that none of them is
// taken for another one.
func graphHead(b []byte) int {
	n := wordLen(b)
	if string(b[:n]) == "extend" {
		for n < len(b) && (b[n] == ' ' || b[n] == '\t') {
			n++
		}
		n += wordLen(b[n:])
	}
	for n < len(b) && (b[n] == ' ' || b[n] == '\t' || b[n] == '@') {
		n++
	}
	return n + wordLen(b[n:])
}

func graphDefinition(b []byte) (kind, name string, ok bool) {
	n := wordLen(b)
	word := string(b[:n])
	rest := bytes.TrimLeft(b[n:], " \t")
	if word == "extend" {
		n = wordLen(rest)
		word, rest = string(rest[:n]), bytes.TrimLeft(rest[n:], " \t")
	}
	kind, ok = graphKinds[word]
	rest = bytes.TrimPrefix(rest, []byte("@"))
	if name = string(rest[:wordLen(rest)]); name == "" {
		kind = document.KindBlock
	}
	return kind, name, ok
}
