package resolve

import (
	"bytes"
	"testing"
)

// What is shown of a text and what it leaves have every line between them.
func FuzzGaps(f *testing.F) {
	f.Add([]byte("one\ntwo\n\nthree\nfour"), 10, 4, 8, 9, 20)
	f.Add([]byte("a line that is shown in part\nanother\n"), 0, 3, 6, 0, 0)
	f.Add([]byte("\n\n  \nx\n"), 5, 5, 6, 6, 7)
	f.Fuzz(func(t *testing.T, text []byte, at, a, b, c, d int) {
		if at < 0 || a > b || c > d || min(a, c) < -100 || max(b, d, at) > 1<<20 {
			return
		}
		others := []span{{start: at + a, end: at + b}, {start: at + c, end: at + d}}
		shown := make([]bool, len(text))
		for _, o := range others {
			for i := max(o.start-at, 0); i < min(o.end-at, len(text)); i++ {
				shown[i] = true
			}
		}
		end := 0
		for _, g := range gaps(text, at, others) {
			if g.start < end || g.end <= g.start || g.end > len(text) {
				t.Fatalf("gap %+v behind %d of %d bytes", g, end, len(text))
			}
			if end = g.end; g.start > 0 && text[g.start-1] != '\n' || g.end < len(text) && text[g.end-1] != '\n' {
				t.Fatalf("gap %+v cuts a line of %q", g, text)
			}
			if len(bytes.Trim(text[g.start:g.end], " \t\r\n\v\f")) == 0 {
				t.Fatalf("gap %+v is blank", g)
			}
			for i := g.start; i < g.end; i++ {
				shown[i] = true
			}
		}
		for i, c := range text {
			if !shown[i] && c > ' ' && c < 0x7f {
				t.Fatalf("byte %d of %q is neither shown nor in a gap", i, text)
			}
		}
	})
}
