package terminal

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// Fit returns a writer that cuts each line to the width of the terminal; w itself
// where there is none. A line is written once it has ended.
func (s Style) Fit(w io.Writer) io.Writer {
	if s.columns == 0 {
		return w
	}
	return &fitting{w: w, columns: s.columns}
}

type fitting struct {
	w       io.Writer
	columns int
	line    []byte // that has not ended yet
}

func (f *fitting) Write(text []byte) (int, error) {
	n := len(text)
	for {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		f.line = append(f.line, line...)
		if !ended {
			return n, nil
		}
		cut := append(fit(f.line, f.columns), '\n')
		f.line, text = f.line[:0], rest
		if _, err := f.w.Write(cut); err != nil {
			return 0, err
		}
	}
}

// fit cuts a line to so many characters, the last of which says so. Colours and links
// take no room, and those behind the cut are kept: they end what began before it.
func fit(line []byte, columns int) []byte {
	var out []byte
	seen := 0
	last := 0 // where the last character that fits stands in out
	for at := 0; at < len(line); {
		n := escape(line[at:])
		if n == 0 {
			_, n = utf8.DecodeRune(line[at:])
			seen++
			switch {
			case seen == columns:
				last = len(out)
			case seen == columns+1:
				_, cut := utf8.DecodeRune(out[last:])
				out = append(append(bytes.Clone(out[:last]), "…"...), out[last+cut:]...)
			}
			if seen > columns {
				at += n
				continue
			}
		}
		out = append(out, line[at:at+n]...)
		at += n
	}
	return out
}

// escape is the length of the colour or the link that text begins with; 0 for none.
func escape(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("\x1b[")):
		return bytes.IndexByte(text, 'm') + 1
	case bytes.HasPrefix(text, []byte("\x1b]")):
		if end := bytes.Index(text, []byte("\x1b\\")); end >= 0 {
			return end + 2
		}
	}
	return 0
}
