package syntax

import "bytes"

// elide returns a copy of Go source in which the inside of braces is blank
// where the walker does not look: in functions of at most whole bytes, and in
// any other braces of at most part bytes. Reading those statements is most of
// a parser's work. Go allows every pair of braces to be empty, so the source
// stays valid; offsets and lines stay the same. Source whose brackets do not
// match is returned as it is.
func elide(content []byte, whole, part int) []byte {
	var open []int // offsets of the brackets that are not closed
	var blanks [][2]int
	function := -1 // where the last function of the top level begins
	for pos := 0; pos < len(content); {
		switch c := content[pos]; c {
		case '(', '[', '{':
			open = append(open, pos)
			pos++
		case ')', ']', '}':
			if len(open) == 0 || content[open[len(open)-1]] != opening(c) {
				return content
			}
			from := open[len(open)-1]
			open = open[:len(open)-1]
			pos++
			if c != '}' {
				continue
			}
			if pos-from <= part || len(open) == 0 && function >= 0 && pos-function <= whole {
				for len(blanks) > 0 && blanks[len(blanks)-1][0] > from {
					blanks = blanks[:len(blanks)-1]
				}
				blanks = append(blanks, [2]int{from + 1, pos - 1})
			}
		case 'f', 't', 'v', 'c':
			if len(open) == 0 && (pos == 0 || content[pos-1] == '\n') {
				function = -1
				if bytes.HasPrefix(content[pos:], []byte("func ")) {
					function = pos
				}
			}
			pos++
		case '"', '\'', '`', '/':
			if pos = skip(content, pos); pos < 0 {
				return content
			}
		default:
			pos++
		}
	}
	if len(open) > 0 || len(blanks) == 0 {
		return content
	}
	out := bytes.Clone(content)
	for _, b := range blanks {
		for i := b[0]; i < b[1]; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	return out
}

func opening(closing byte) byte {
	switch closing {
	case ')':
		return '('
	case ']':
		return '['
	}
	return '{'
}

// skip returns the offset behind the comment or the literal at pos, or -1 for
// one that does not end.
func skip(b []byte, pos int) int {
	switch b[pos] {
	case '"', '\'':
		for i := pos + 1; i < len(b); i++ {
			switch b[i] {
			case '\\':
				i++
			case b[pos]:
				return i + 1
			case '\n':
				return -1
			}
		}
		return -1
	case '`':
		if i := bytes.IndexByte(b[pos+1:], '`'); i >= 0 {
			return pos + 1 + i + 1
		}
		return -1
	case '/':
		if pos+1 < len(b) && b[pos+1] == '/' {
			if i := bytes.IndexByte(b[pos:], '\n'); i >= 0 {
				return pos + i
			}
			return len(b)
		}
		if pos+1 < len(b) && b[pos+1] == '*' {
			if i := bytes.Index(b[pos+2:], []byte("*/")); i >= 0 {
				return pos + 2 + i + 2
			}
			return -1
		}
	}
	return pos + 1
}
