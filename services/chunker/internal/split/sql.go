package split

import (
	"bytes"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// bySQL cuts SQL at its statements, each with the comments above it. What a statement
// creates names it.
func bySQL(text *Text, opt Options) []document.Span {
	r := sqlReader{b: text.Bytes}
	return structured(text, "sql", r.read(), opt)
}

type sqlReader struct {
	b     []byte
	nodes []node
	start int // of the statement or of the comments before it; -1: there is none
	at    int // of the statement; -1: comments alone
	// depth counts BEGIN and CASE of a routine, whose statements are its own.
	depth   int
	routine bool
	words   int
}

func (r *sqlReader) read() []node {
	r.reset()
	for i := 0; i < len(r.b); {
		c := r.b[i]
		switch {
		case isSpace(c) || i == 0 && bytes.HasPrefix(r.b, byteOrderMark):
			i++
		case c == '-' && r.next(i, '-'), c == '#':
			i = r.lead(i, r.line(i))
		case c == '/' && r.next(i, '*'):
			i = r.lead(i, r.behind(i+2, "*/"))
		case c == ';':
			i++
			if r.depth <= 0 {
				r.end(i)
			}
		default:
			if r.at < 0 {
				if r.at = i; r.start < 0 {
					r.start = i
				}
			}
			i = r.token(i)
		}
	}
	r.end(len(r.b))
	return r.nodes
}

func (r *sqlReader) reset() { r.start, r.at, r.depth, r.routine, r.words = -1, -1, 0, false, 0 }

func (r *sqlReader) next(i int, c byte) bool { return i+1 < len(r.b) && r.b[i+1] == c }

// lead passes over a comment, with which a statement may begin.
func (r *sqlReader) lead(i, end int) int {
	if r.start < 0 {
		r.start = i
	}
	return end
}

func (r *sqlReader) line(i int) int {
	if n := bytes.IndexByte(r.b[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(r.b)
}

func (r *sqlReader) behind(i int, mark string) int {
	if n := bytes.Index(r.b[min(i, len(r.b)):], []byte(mark)); n >= 0 {
		return i + n + len(mark)
	}
	return len(r.b)
}

// token passes over a name, a text, a word or another letter of a statement.
func (r *sqlReader) token(i int) int {
	switch c := r.b[i]; {
	case c == '\'' || c == '"' || c == '`':
		return r.behind(i+1, string(rune(c)))
	case c == '$':
		n := i + 1
		for n < len(r.b) && r.b[n] != '$' && isWord(r.b[n]) {
			n++
		}
		if n < len(r.b) && r.b[n] == '$' && n-i < 64 {
			return r.behind(n+1, string(r.b[i:n+1]))
		}
		return i + 1
	case isWord(c):
		n := wordLen(r.b[i:])
		r.word(strings.ToLower(string(r.b[i:i+min(n, 32)])), i, i+n)
		return i + n
	}
	return i + 1
}

// word follows the words that tell where a statement ends.
func (r *sqlReader) word(w string, start, end int) {
	r.words++
	switch w {
	case "function", "procedure", "trigger", "package":
		r.routine = r.routine || r.words < 8
	case "begin", "case":
		if r.routine {
			r.depth++
		}
	case "end":
		after := bytes.TrimLeft(r.b[end:min(len(r.b), end+32)], " \t\r\n")
		switch strings.ToLower(string(after[:wordLen(after)])) {
		case "if", "loop", "while", "repeat", "for":
		default:
			if r.depth > 0 {
				r.depth--
			}
		}
	case "go": // ends a batch, alone on its line
		line := r.line(start)
		before := r.b[:start]
		if len(trimSpace(r.b[end:line])) == 0 && (len(before) == 0 || before[len(before)-1] == '\n') {
			r.end(line)
		}
	}
}

// end notes a statement.
func (r *sqlReader) end(end int) {
	if r.start >= 0 && len(r.nodes) < mostNodes {
		n := node{start: r.start, at: max(r.at, r.start)}
		if r.at >= 0 {
			head := bytes.Join(bytes.Fields(r.b[r.at:min(end, r.at+400)]), []byte(" "))
			if first := wordLen(head); first > 0 && strings.EqualFold(string(head[:first]), "create") {
				n.kind, n.symbol = created(bytes.TrimLeft(head[first:], " "))
			}
		}
		r.nodes = append(r.nodes, n)
	}
	r.reset()
}
