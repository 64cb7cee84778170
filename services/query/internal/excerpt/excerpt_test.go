package excerpt

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func never(string) bool { return false }

func TestMatchingLineIsCutAway(t *testing.T) {
	text := strings.Repeat("nothing of interest here\n", 100) + "func parseAddress() {}\n" + strings.Repeat("more\n", 50)
	got := Excerpt([]byte(text), NewMarks("parseAddress", never), 400)
	if !strings.Contains(got, "parseAddress") || len(got) > 400 {
		t.Fatalf("%d bytes: %q", len(got), got)
	}
}

func TestDefinitionLineIsCutAwayThoughItMatchesToo(t *testing.T) {
	text := "func parse() {\n" + strings.Repeat("\tx := 1\n", 100) + "\tparse()\n}\n"
	if got := Excerpt([]byte(text), NewMarks("parse", never), 400); !strings.HasPrefix(got, "func parse") {
		t.Fatalf("%q", got)
	}
}

func TestInvalidBytesPass(t *testing.T) {
	if got := Excerpt([]byte("a\xffb"), nil, 400); got != "a\uFFFDb" {
		t.Fatalf("%q", got)
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("a\nb\nc parse\n"), "parse", 5)
	f.Add([]byte(strings.Repeat("é", 300)), "é", 99)
	f.Fuzz(func(t *testing.T, text []byte, query string, limit int) {
		limit = 16 + max(limit, -limit)%1000
		got := Excerpt(text, NewMarks(query, never), limit)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		if utf8.Valid(text) && (len(got) > limit || !strings.Contains(string(text), got)) {
			t.Fatalf("%q is no part of %q within %d bytes", got, text, limit)
		}
	})
}
