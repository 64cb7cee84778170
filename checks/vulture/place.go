package vulture

import (
	"bytes"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// placing says how a hit's text stands in a content.
type placing int

const (
	nowhere    placing = iota
	otherLines         // the text is there, but not in the lines that the hit names
	asNamed
)

// place looks for a hit's text in a content. As named means that the text
// begins in start_line and ends in end_line.
func place(content []byte, h contract.Hit) placing {
	text := []byte(h.Text)
	if len(text) == 0 || !bytes.Contains(content, text) {
		return nowhere
	}
	// A line break at the end belongs to the line that it ends.
	lines := bytes.Count(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	if h.EndLine-h.StartLine != lines {
		return otherLines
	}
	from, ok := lineStart(content, h.StartLine)
	if !ok {
		return otherLines
	}
	first := content[from:]
	if end := bytes.IndexByte(first, '\n'); end >= 0 {
		first = first[:end+1]
	}
	for i := range first {
		if bytes.HasPrefix(content[from+i:], text) {
			return asNamed
		}
	}
	return otherLines
}

// lineStart returns the offset of a line, counted from 1.
func lineStart(content []byte, line int) (int, bool) {
	at := 0
	for n := 1; n < line; n++ {
		i := bytes.IndexByte(content[at:], '\n')
		if i < 0 {
			return 0, false
		}
		at += i + 1
	}
	return at, line > 0 && at < len(content)
}

// describe names a hit for a violation.
func describe(h contract.Hit) string {
	text := h.Text
	if len(text) > 160 {
		text = text[:160] + "…"
	}
	channels := ""
	for name := range h.Channels {
		channels += " " + name
	}
	return fmt.Sprintf("%s:%d-%d version %d id %s pending %t channels%s: %q", h.Path, h.StartLine, h.EndLine, h.Version, h.ID, h.Pending, channels, text)
}
