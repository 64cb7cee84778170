package excerpt

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
)

var analyzer = analysis.New()

func marksOf(query string) *Marks {
	words := cover.New(query, analyzer, func(string) float64 { return 1 })
	return NewMarks(words, analysis.Identifiers(query), analyzer)
}

// cut makes an excerpt around the line of most weight, the first of several.
func cut(text, query string, limit int) Excerpt {
	m, lines := marksOf(query), Lines([]byte(text))
	ratings := m.Rate(lines)
	best := 0
	for i, r := range ratings {
		if m.Weight(r) > m.Weight(ratings[best]) {
			best = i
		}
	}
	return m.Cut(lines, ratings, 0, best, limit)
}

// marked is a text with its matches in brackets.
func (e Excerpt) marked() string {
	var b strings.Builder
	at := 0
	for _, m := range e.Matches {
		b.WriteString(e.Text[at:m.Start] + "[" + e.Text[m.Start:m.End] + "]")
		at = m.End
	}
	return b.String() + e.Text[at:]
}

func TestMatchingLineAndTheFirst_AreKept(t *testing.T) {
	text := "func first() {\n" + strings.Repeat("\tnothing of interest\n", 100) + "\tbefore\n\n\tparseAddress(x)\n\tafter\n" + strings.Repeat("more\n", 50)
	got := cut(text, "parseAddress", 400)
	want := "func first() {\n…\n\tbefore\n\t[parseAddress](x)\n\tafter\nmore"
	if got.marked() != want || fmt.Sprint(got.Lines) != "[0 -1 101 103 104 105]" {
		t.Errorf("%v %q", got.Lines, got.marked())
	}
}

func TestWholeName_WeighsMoreThanItsParts(t *testing.T) {
	text := "// the os may read a file\n" + strings.Repeat("x\n", 20) + "y := ReadFile(name)\n"
	if got := cut(text, "os.ReadFile", 80); got.marked() != "y := [ReadFile](name)" {
		t.Errorf("%q", got.marked())
	}
}

func TestBothHalvesOfTheQuestion_AreKept(t *testing.T) {
	text := "func f() {\n" + strings.Repeat("\tx\n", 20) + "\tretry(message)\n" + strings.Repeat("\ty\n", 20) + "\tgrow(delay)\n}\n"
	got := cut(text, "retry a message with growing delay", 400)
	if want := "func f() {\n…\n\tx\n\t[retry]([message])\n\ty\n…\n\t[grow]([delay])"; got.marked() != want {
		t.Errorf("%q", got.marked())
	}
}

func TestWordsOfTheQuestion_AreMarkedAlone(t *testing.T) {
	for query, want := range map[string]string{
		"read files": "// [Reads] one. [readFile]([Read]Any) thread_[read] Breadth",
		"ReadAny":    "// [Reads] one. [read]File([ReadAny]) thread_[read] Breadth",
		"parse IPv6": "[parseIPv6](i) and [IPv6] of a sparse",
		"nothing":    "// Reads one. readFile(ReadAny) thread_read Breadth",
		"errors.Is":  "func [Is](err [error]) isolates",
		"straße":     "die [Straße] der \"[straße]\"",
		"東京":         "は[東京]に",
	} {
		text := strings.NewReplacer("[", "", "]", "").Replace(want)
		if got := cut(text, query, 400); got.marked() != want {
			t.Errorf("%s: %s, want %s", query, got.marked(), want)
		}
	}
}

func TestElision_StandsForMoreThanOneLine(t *testing.T) {
	text := "func f() {\n\tone()\n\n\ttwo()\n\theron()\n\tthree()\n" + strings.Repeat("\tx\n", 20) + "\tibis()\n}\n"
	if got := cut(text, "heron ibis", 400); got.marked() != "func f() {\n\tone()\n\ttwo()\n\t[heron]()\n\tthree()\n…\n\t[ibis]()" {
		t.Errorf("%q", got.marked())
	}
}

func TestMatchInALongLine_IsKept(t *testing.T) {
	line := strings.Repeat("é;", 500) + "parseAddress(x)" + strings.Repeat("é;", 500)
	got := cut("first\n"+line+"\n", "parseAddress", 100)
	if !strings.Contains(got.marked(), "[parseAddress](x)") || len(got.Text) > 100 || !strings.HasPrefix(got.Text, Elision) || !strings.HasSuffix(got.Text, Elision) {
		t.Errorf("%d bytes: %q", len(got.Text), got.marked())
	}
}

func TestShortPassage_IsNotCut(t *testing.T) {
	if got := cut("one\r\n\r\n  two\n", "two", 400); got.marked() != "one\n  [two]" || fmt.Sprint(got.Lines) != "[0 2]" {
		t.Errorf("%v %q", got.Lines, got.Text)
	}
	if got := cut("", "two", 400); got.Text != "" {
		t.Errorf("%q", got.Text)
	}
}

func TestInvalidBytes_AreReplaced(t *testing.T) {
	if got := cut("a\xffb cd", "cd", 400); got.marked() != "a\uFFFDb [cd]" {
		t.Fatalf("%q", got.marked())
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("a\nb\nc parse\n", "parse", 5)
	f.Add(strings.Repeat("é", 300), "é", 99)
	f.Add("東京都\n\n…\nx", "東京 parseX", 9)
	f.Fuzz(func(t *testing.T, text, query string, limit int) {
		limit = 16 + max(limit, -limit)%1000
		got := cut(text, query, limit)
		shown := strings.Split(got.Text, "\n")
		if !utf8.ValidString(got.Text) || len(shown) != max(len(got.Lines), 1) {
			t.Fatalf("%q of lines %v", got.Text, got.Lines)
		}
		lines := Lines([]byte(text))
		for i, line := range got.Lines {
			if line >= 0 && !strings.Contains(Valid(lines[line]), strings.Trim(shown[i], Elision)) {
				t.Fatalf("%q is no part of line %d of %q", shown[i], line, text)
			}
		}
		if utf8.ValidString(text) && len(got.Text) > limit {
			t.Fatalf("%q is longer than %d bytes", got.Text, limit)
		}
		end := 0
		for _, m := range got.Matches {
			if m.Start < end || m.End <= m.Start || m.End > len(got.Text) || !utf8.ValidString(got.Text[m.Start:m.End]) {
				t.Fatalf("%v in %q", got.Matches, got.Text)
			}
			end = m.End
		}
	})
}
