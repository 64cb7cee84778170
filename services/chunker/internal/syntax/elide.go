package syntax

import "bytes"

// elide returns a copy of Go source in which the bodies of functions that fit
// into a chunk are blank, or content itself where there are none. Their
// statements are not looked at, and reading them is most of the work of a
// parser. Offsets and lines stay the same. limit is the size in bytes of the
// largest function that is elided.
//
// Where the source is not what it looks like, nothing is taken away: a body
// has to end with a brace at the beginning of a line, as gofmt writes it, or
// on the line on which it begins.
func elide(content []byte, limit int) []byte {
	var out []byte
	for pos := 0; pos < len(content); {
		start, ok := nextFunc(content, pos)
		if !ok {
			break
		}
		open := bodyOf(content, start)
		if open < 0 {
			pos = start + 4
			continue
		}
		end := match(content, open)
		if end < 0 {
			break
		}
		pos = end + 1
		if end-start >= limit || content[end-1] != '\n' && bytes.IndexByte(content[open:end], '\n') >= 0 {
			continue
		}
		if out == nil {
			out = bytes.Clone(content)
		}
		for i := open + 1; i < end; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	if out == nil {
		return content
	}
	return out
}

// nextFunc finds the next "func" of the top level at or behind pos, which is
// outside of everything.
func nextFunc(b []byte, pos int) (int, bool) {
	for pos < len(b) {
		switch c := b[pos]; {
		case c == 'f' && (pos == 0 || b[pos-1] == '\n') && bytes.HasPrefix(b[pos:], []byte("func ")):
			return pos, true
		case c == '(' || c == '{' || c == '[':
			end := match(b, pos)
			if end < 0 {
				return 0, false
			}
			pos = end + 1
		default:
			next := skip(b, pos)
			if next < 0 {
				return 0, false
			}
			pos = next
		}
	}
	return 0, false
}

// bodyOf finds the brace that opens the body of the function at start, or
// returns -1: a function without one ends with its line.
func bodyOf(b []byte, start int) int {
	word := start // where the last word begins
	for pos := start; pos < len(b); {
		switch c := b[pos]; {
		case c == '\n':
			return -1
		case c == '(' || c == '[' || c == '{':
			if c == '{' && !opensType(b[word:pos]) {
				return pos
			}
			end := match(b, pos)
			if end < 0 {
				return -1
			}
			pos = end + 1
			word = pos
		default:
			next := skip(b, pos)
			if next < 0 {
				return -1
			}
			if !isLetter(c) && c != ' ' {
				word = next
			} else if isLetter(c) && (pos == 0 || !isLetter(b[pos-1])) {
				word = pos
			}
			pos = next
		}
	}
	return -1
}

// opensType reports whether a brace behind a word belongs to a type of the
// result.
func opensType(word []byte) bool {
	word = bytes.TrimRight(word, " ")
	return bytes.Equal(word, []byte("interface")) || bytes.Equal(word, []byte("struct"))
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// match returns the offset of what closes the bracket at pos, or -1.
func match(b []byte, pos int) int {
	depth := 0
	for pos < len(b) {
		switch b[pos] {
		case '(', '[', '{':
			depth++
			pos++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return pos
			}
			pos++
		default:
			if pos = skip(b, pos); pos < 0 {
				return -1
			}
		}
	}
	return -1
}

// skip returns the offset behind the comment, the literal or the byte at pos,
// or -1 for one that does not end.
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
