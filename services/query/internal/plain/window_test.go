package plain

import (
	"bytes"
	"strings"
	"testing"
)

func TestWindows_LoseNoLine(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		b.WriteString(strings.Repeat("x", i%90))
		b.WriteByte('\n')
	}
	check(t, []byte(b.String()))
}

func TestLongLine_IsCutBetweenCharacters(t *testing.T) {
	content := []byte("short\n" + strings.Repeat("é", 1<<16) + "\nend")
	for _, w := range check(t, content) {
		if w.end-w.start > lineBytes+windowBytes {
			t.Fatalf("a window has %d bytes", w.end-w.start)
		}
		if w.startLine == 2 && content[w.start]&0xC0 == 0x80 {
			t.Fatalf("a character is cut at %d", w.start)
		}
	}
}

func check(t *testing.T, content []byte) []window {
	t.Helper()
	covered := make([]bool, len(content))
	all := windows(content)
	end := 0
	for _, w := range all {
		if w.start < end || w.end <= w.start || w.end > len(content) {
			t.Fatalf("window %+v after %d of %d bytes", w, end, len(content))
		}
		end = w.end
		for i := w.start; i < w.end; i++ {
			covered[i] = true
		}
		if got := 1 + bytes.Count(content[:w.start], []byte{'\n'}); got != w.startLine {
			t.Fatalf("window %+v begins on line %d", w, got)
		}
		if got := 1 + bytes.Count(content[:w.end-1], []byte{'\n'}); got != w.endLine {
			t.Fatalf("window %+v ends on line %d", w, got)
		}
		if len(bytes.TrimSpace(content[w.start:w.end])) == 0 {
			t.Fatalf("window %+v is blank", w)
		}
	}
	for i, c := range content {
		if !covered[i] && c > ' ' && c < 0x7f {
			t.Fatalf("byte %d (%q) is in no window", i, c)
		}
	}
	return all
}

func FuzzWindows(f *testing.F) {
	f.Add([]byte("a\n\nb\n"))
	f.Add([]byte(strings.Repeat("long ", 2000)))
	f.Add(bytes.Repeat([]byte("\n"), 4000))
	f.Fuzz(func(t *testing.T, content []byte) {
		check(t, content)
		check(t, bytes.Repeat(content, 40))
	})
}
