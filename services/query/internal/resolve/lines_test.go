package resolve

import (
	"bytes"
	"testing"
)

func TestNearestOccurrence_IsFound(t *testing.T) {
	content := []byte("ab.ab.ab")
	for was, want := range map[int]int{0: 0, 1: 0, 2: 3, 3: 3, 5: 6, 6: 6, 8: 6, 100: 6} {
		if got, ok := locate(content, []byte("ab"), was, edges{}); !ok || got != want {
			t.Errorf("from %d: %d %v, want %d", was, got, ok, want)
		}
	}
	if _, ok := locate(content, []byte("abc"), 0, edges{}); ok {
		t.Error("found what is not there")
	}
	if _, ok := locate(content, nil, 0, edges{}); ok {
		t.Error("found nothing")
	}
}

func FuzzLocate(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("b\n"), 4, true, true)
	f.Add([]byte("aaaa"), []byte("aa"), 1, false, true)
	f.Add([]byte("ab\nb\nbc\r\nb"), []byte("b"), 7, true, true)
	f.Fuzz(func(t *testing.T, content, text []byte, was int, begins, ends bool) {
		of := edges{begins, ends}
		start, ok := locate(content, text, was, of)
		there := false
		fits := func(i int) bool {
			lines := func(part []byte) [][]byte { return bytes.Split(part, []byte("\n")) }
			lead, rest := lines(content[:i]), lines(content[i+len(text):])
			return bytes.Equal(content[i:i+len(text)], text) && (!begins || len(bytes.TrimSpace(lead[len(lead)-1])) == 0) &&
				(!ends || bytes.HasSuffix(text, []byte("\n")) || len(bytes.TrimSpace(rest[0])) == 0)
		}
		for i := 0; len(text) > 0 && i+len(text) <= len(content); i++ {
			there = there || fits(i)
		}
		if ok != there {
			t.Fatalf("found: %v", ok)
		}
		if !ok {
			return
		}
		if !fits(start) {
			t.Fatalf("other bytes, or no whole lines, at %d", start)
		}
		clamped := max(0, min(was, len(content)))
		distance := func(i int) int { return max(i-clamped, clamped-i) }
		for i := 0; i+len(text) <= len(content); i++ {
			if fits(i) && distance(i) < distance(start) {
				t.Fatalf("%d is nearer to %d than %d", i, was, start)
			}
		}
		lines := bytes.SplitAfter(content[:start], []byte{'\n'})
		if got := lineAt(content, start); got != len(lines) {
			t.Fatalf("line %d, want %d", got, len(lines))
		}
	})
}
