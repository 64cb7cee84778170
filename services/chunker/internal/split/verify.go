package split

import (
	"fmt"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Verify checks what every list of spans has to be: ranges within the content,
// in order, with the line numbers of their bytes, and with nothing but white
// space between them. Spans of code are disjoint besides and consist of whole
// lines, or lie within one line. It guards against a parser that went wrong.
func Verify(content []byte, spans []document.Span, code bool) error {
	text := NewText(content)
	covered, before := 0, 0
	for i := range spans {
		s := &spans[i]
		switch {
		case s.StartByte < 0 || s.StartByte >= s.EndByte || s.EndByte > len(content):
			return fmt.Errorf("span %d has the bytes %d to %d of %d", i, s.StartByte, s.EndByte, len(content))
		case s.StartByte < before || s.EndByte < covered:
			return fmt.Errorf("span %d at byte %d is out of order", i, s.StartByte)
		case code && s.StartByte < covered:
			return fmt.Errorf("span %d at byte %d overlaps the one before it", i, s.StartByte)
		}
		first, last := text.LineAt(s.StartByte), text.LineAt(s.EndByte-1)
		if s.StartLine != first+1 || s.EndLine != last+1 {
			return fmt.Errorf("span %d has the lines %d to %d, its bytes lie on %d to %d", i, s.StartLine, s.EndLine, first+1, last+1)
		}
		if code && first != last && (s.StartByte != text.Start(first) || s.EndByte != text.End(last)) {
			return fmt.Errorf("span %d on the lines %d to %d does not consist of whole lines", i, s.StartLine, s.EndLine)
		}
		if s.StartByte > covered && !blank(content, covered, s.StartByte) {
			return fmt.Errorf("bytes %d to %d before span %d belong to no span", covered, s.StartByte, i)
		}
		covered, before = s.EndByte, s.StartByte
	}
	if !blank(content, covered, len(content)) {
		return fmt.Errorf("bytes behind %d of %d belong to no span", covered, len(content))
	}
	return nil
}

// blank reports whether a stretch holds nothing but white space, a byte order
// mark at the beginning left aside.
func blank(b []byte, start, end int) bool {
	if start == 0 && end >= 3 && string(b[:3]) == string(byteOrderMark) {
		start = 3
	}
	for _, c := range b[start:end] {
		if !isSpace(c) {
			return false
		}
	}
	return true
}
