package split

import (
	"bytes"
	"sort"
)

// Text is a content with an index of its lines. Lines count from 0 here and
// from 1 in spans. A line ends at "\n" or "\r\n"; a lone "\r" ends a line only
// in a content without any "\n", so that line numbers agree with what other
// tools say of mixed files. It is not changed after NewText and may be shared.
type Text struct {
	Bytes  []byte
	starts []int // of each line, and one more for the end
	lone   bool  // lines end at "\r"
}

// NewText indexes content, which it keeps and which must not change.
func NewText(content []byte) *Text {
	t := &Text{Bytes: content, starts: make([]int, 1, len(content)/32+2)}
	end := byte('\n')
	if bytes.IndexByte(content, '\n') < 0 && bytes.IndexByte(content, '\r') >= 0 {
		end, t.lone = '\r', true
	}
	for pos := 0; pos < len(content); {
		i := bytes.IndexByte(content[pos:], end)
		if i < 0 {
			t.starts = append(t.starts, len(content))
			break
		}
		pos += i + 1
		t.starts = append(t.starts, pos)
	}
	return t
}

// Lines is the number of lines. The end of a content that ends with a line
// break starts no further line.
func (t *Text) Lines() int { return len(t.starts) - 1 }

// Start is the offset of line i's first byte.
func (t *Text) Start(i int) int { return t.starts[i] }

// End is the offset behind line i's last byte, without its line break.
func (t *Text) End(i int) int {
	end := t.starts[i+1]
	if t.lone {
		if end > t.starts[i] && t.Bytes[end-1] == '\r' {
			end--
		}
		return end
	}
	if end > t.starts[i] && t.Bytes[end-1] == '\n' {
		end--
		if end > t.starts[i] && t.Bytes[end-1] == '\r' {
			end--
		}
	}
	return end
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// Line is line i without its line break and without a byte order mark.
func (t *Text) Line(i int) []byte {
	line := t.Bytes[t.starts[i]:t.End(i)]
	if i == 0 {
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	return line
}

// Size is the number of bytes from the start of line first to the end of line
// last.
func (t *Text) Size(first, last int) int { return t.End(last) - t.starts[first] }

// LineAt is the line that holds the byte at offset.
func (t *Text) LineAt(offset int) int {
	i := sort.SearchInts(t.starts, offset+1) - 1
	return max(0, min(i, t.Lines()-1))
}

// Blank reports whether line i holds nothing but ASCII white space.
func (t *Text) Blank(i int) bool { return indentOf(t.Line(i)) < 0 }

// indentOf is the width of a line's leading white space (a tab goes to the
// next multiple of 4), or -1 for a blank line.
func indentOf(line []byte) int {
	width := 0
	for _, c := range line {
		switch c {
		case ' ':
			width++
		case '\t':
			width += 4 - width%4
		case '\r', '\f', '\v', '\n':
		default:
			return width
		}
	}
	return -1
}

// trimSpace cuts off ASCII white space, the only one that counts here: what
// bytes.TrimSpace takes for blank besides is content.
func trimSpace(b []byte) []byte { return bytes.Trim(b, " \t\r\n\f\v") }

// trim narrows a stretch of lines to one that neither begins nor ends with a
// blank line. ok is false when nothing is left.
func (t *Text) trim(first, last int) (int, int, bool) {
	for first <= last && t.Blank(first) {
		first++
	}
	for last >= first && t.Blank(last) {
		last--
	}
	return first, last, first <= last
}
