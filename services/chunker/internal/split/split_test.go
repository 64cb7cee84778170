package split

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
)

var ways = []string{"markdown", "text", "ruby", "yaml", "json", "csharp", "haskell", "sql", "clojure", "xml", "graphql", "toml", "rst", "asciidoc", "org", "roff", "log"}

// check cuts a content in a language and verifies what all languages promise.
func check(t *testing.T, lang string, content []byte, opt Options) []document.Span {
	t.Helper()
	spans := Split(lang, content, opt)
	code := !language.Get(lang).Prose
	if err := Verify(content, spans, code); err != nil {
		t.Errorf("%s: %v", lang, err)
	}
	for _, s := range spans {
		if n := s.EndByte - s.StartByte; code && n > opt.Max {
			t.Errorf("%s: a span has %d bytes", lang, n)
		}
		for _, text := range append([]string{s.Symbol, s.Signature, s.Context, s.Label}, s.Headings...) {
			if !utf8.ValidString(text) {
				t.Errorf("%s: %q is not UTF-8", lang, text)
			}
		}
		if len(s.Label) > labelBytes+64 {
			t.Errorf("%s: a label has %d bytes", lang, len(s.Label))
		}
	}
	return spans
}

func TestPathologicalContents_AreCutWhole(t *testing.T) {
	for name, content := range map[string]string{
		"empty":                     "",
		"only blank lines":          "\n\n  \n\t\n",
		"byte order mark alone":     "\xef\xbb\xbf",
		"byte order mark":           "\xef\xbb\xbfclass A\nend\n",
		"NUL bytes":                 strings.Repeat("def a\x00b\n\x00\x00\n", 500),
		"invalid UTF-8":             strings.Repeat("def \xff\xfe\x80(x)\n  \xc3\n", 500),
		"continuation bytes":        strings.Repeat("\x80", 50_000),
		"one line of 1 MB":          strings.Repeat("abcdefg(hij)", 90_000),
		"one line without a break":  strings.Repeat("x", 1<<20),
		"one line of spaces":        strings.Repeat(" ", 1<<20) + "x",
		"carriage returns":          strings.Repeat("def a\r  b\rend\r\r", 500),
		"CRLF":                      strings.Repeat("def a\r\n  b\r\nend\r\n\r\n", 500),
		"mixed line ends":           strings.Repeat("def a\r  b\n\rend\r\n", 500),
		"very many lines":           strings.Repeat("a\n", 150_000),
		"stairs":                    stairs(1200),
		"headings":                  strings.Repeat("# a\n", 20_000),
		"fences":                    strings.Repeat("```\n", 20_001),
		"fences of growing width":   fences(400),
		"table rows":                "|a|\n|-|\n" + strings.Repeat("|b|\n", 30_000),
		"underlines":                strings.Repeat("a\n---\n", 20_000),
		"openers of block comments": strings.Repeat("/*\n", 30_000),
		"a comment that never ends": "/* " + strings.Repeat("text\n\ndef a\n", 8_000),
		"no line break at the end":  "def a\nend",
	} {
		for _, language := range ways {
			t.Run(name+" as "+language, func(t *testing.T) {
				check(t, language, []byte(content), defaults())
			})
		}
	}
}

// stairs indents each line more than the one before it.
func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i))
		b.WriteString("def x\n")
	}
	return b.String()
}

// fences opens a code block with ever more characters and closes none.
func fences(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("`", n-i+3))
		b.WriteString("\n\n")
	}
	return b.String()
}

func TestLongLine_IsCutIntoPiecesOfOneLine(t *testing.T) {
	content := []byte("a = 1\nb = [" + strings.Repeat("1234, ", 5000) + "]\nc = 2\n")
	long := 0
	for _, s := range check(t, "ruby", content, defaults()) {
		if s.StartLine == 2 && s.EndLine == 2 {
			long++
			if !bytes.HasSuffix(content[s.StartByte:s.EndByte], []byte(" ")) && s.EndByte != len(content)-7 {
				t.Errorf("a piece ends within a word: …%q", content[s.EndByte-5:s.EndByte])
			}
		}
	}
	if long < 20 {
		t.Errorf("the line of 30,000 bytes was cut into %d pieces", long)
	}
}

func TestCarriageReturnsAlone_EndLinesWhereThereIsNoOther(t *testing.T) {
	text := NewText([]byte("a\rb\r\rc"))
	if text.Lines() != 4 || string(text.Line(1)) != "b" || !text.Blank(2) {
		t.Errorf("%d lines", text.Lines())
	}
	text = NewText([]byte("a\rb\nc\r\n"))
	if text.Lines() != 2 || string(text.Line(0)) != "a\rb" || string(text.Line(1)) != "c" {
		t.Errorf("%d lines, the first is %q", text.Lines(), text.Line(0))
	}
}

func TestSignature_NamesEveryParameter(t *testing.T) {
	base := Options{Target: 100, Max: 200, Prose: 300, Overlap: 50}
	seen := map[string]bool{base.Signature(): true}
	for i, o := range []Options{{101, 200, 300, 50}, {100, 201, 300, 50}, {100, 200, 301, 50}, {100, 200, 300, 51}} {
		if seen[o.Signature()] {
			t.Errorf("parameter %d is not part of %s", i, o.Signature())
		}
		seen[o.Signature()] = true
	}
	if got, want := (Options{}).Signature(), "split-3/code-1500-3000/prose-1000-200"; got != want {
		t.Errorf("the default is %s, want %s", got, want)
	}
}

// Verify guards the service against a parser that went wrong; it has to see
// what is wrong.
func TestVerify_FindsFaults(t *testing.T) {
	content := []byte("one\ntwo\n\nthree\n")
	span := func(start, end, first, last int) document.Span {
		return document.Span{StartByte: start, EndByte: end, StartLine: first, EndLine: last}
	}
	good := []document.Span{span(0, 7, 1, 2), span(9, 14, 4, 4)}
	if err := Verify(content, good, true); err != nil {
		t.Fatal(err)
	}
	for name, spans := range map[string][]document.Span{
		"a line is missing":     {span(0, 3, 1, 1), span(9, 14, 4, 4)},
		"the end is missing":    {span(0, 7, 1, 2)},
		"nothing":               {},
		"beyond the end":        {span(0, 7, 1, 2), span(9, 99, 4, 4)},
		"negative":              {span(-1, 7, 1, 2), span(9, 14, 4, 4)},
		"empty":                 {span(0, 0, 1, 1), span(0, 14, 1, 4)},
		"out of order":          {span(9, 14, 4, 4), span(0, 7, 1, 2)},
		"overlap":               {span(0, 7, 1, 2), span(4, 14, 2, 4)},
		"wrong first line":      {span(0, 7, 2, 2), span(9, 14, 4, 4)},
		"wrong last line":       {span(0, 7, 1, 3), span(9, 14, 4, 4)},
		"a part of two lines":   {span(0, 6, 1, 2), span(6, 7, 2, 2), span(9, 14, 4, 4)},
		"within the line break": {span(0, 8, 1, 2), span(9, 14, 4, 4)},
	} {
		if Verify(content, spans, true) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for i, content := range []string{
		"# A\n\n```\ncode\n```\n|a|\n|-|\n", "class A\n  def b\n  end\nend\n", "\xef\xbb\xbf---\na: b\n---\n", "a\rb\r\rc", "\x00\xff\n\t\n",
		"para one. two! three?\n\npara", "/* a\n\n*/ def x\n{\n}\n", "A\n=\n\nB\n-\n",
	} {
		f.Add(uint8(i), content)
	}
	opt := Options{Target: 64, Max: 100, Prose: 64, Overlap: 20}
	f.Fuzz(func(t *testing.T, language uint8, content string) {
		check(t, ways[int(language)%len(ways)], []byte(content), opt)
	})
}

func BenchmarkMarkdown(b *testing.B) {
	content := []byte(strings.Repeat("# Title\n\n"+strings.Repeat("Some prose with words. ", 100)+"\n\n```go\nfunc f() {}\n```\n\n", 100))
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		Split("markdown", content, Options{})
	}
}

func BenchmarkIndented(b *testing.B) {
	var buf bytes.Buffer
	for i := range 500 {
		fmt.Fprintf(&buf, "# Doc.\ndef f%d(x)\n%send\n\n", i, strings.Repeat("  call(x, 1)\n", 20))
	}
	b.SetBytes(int64(buf.Len()))
	for b.Loop() {
		Split("ruby", buf.Bytes(), Options{})
	}
}
