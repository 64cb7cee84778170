package outline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/outline"
)

func TestEntry_StandsAtTheLinesOfItsDefinition(t *testing.T) {
	text := "package a\n\nconst Small = 1\nconst Little = 2\n\nfunc Long() {\n\tone()\n\ttwo()\n}\n\n# Use\n\ntext\n"
	at := func(from, to int) document.Span {
		lines := strings.SplitAfter(text, "\n")
		start := len(strings.Join(lines[:from-1], ""))
		return document.Span{StartLine: from, EndLine: to, StartByte: start, EndByte: start + len(strings.Join(lines[from-1:to], ""))}
	}
	chunk := func(s document.Span, change func(*document.Span)) document.Chunk {
		change(&s)
		return document.Chunk{Span: s}
	}
	c := &document.Content{Language: "go", Chunks: []document.Chunk{
		chunk(at(1, 1), func(s *document.Span) { s.Kind = document.KindHeader }),
		chunk(at(3, 4), func(s *document.Span) {
			s.Kind, s.Symbol, s.Names = document.KindVariable, "Small", []string{"Little", "Nowhere"}
		}),
		chunk(at(6, 7), func(s *document.Span) {
			s.Kind, s.Symbol, s.Signature = document.KindFunction, "Long", "func Long()"
		}),
		chunk(at(8, 9), func(s *document.Span) { s.Kind, s.Symbol = document.KindFunction, "Long" }),
		chunk(at(11, 13), func(s *document.Span) { s.Kind, s.Headings = document.KindSection, []string{"A", "Use"} }),
	}}
	var got []string
	for _, e := range outline.Entries(c, []byte(text)) {
		got = append(got, fmt.Sprintf("%s %s %d-%d", e.Name, e.Kind, e.StartLine, e.EndLine))
	}
	want := "Small variable 3-3|Nowhere  3-4|Little  4-4|Long function 6-9|Use section 11-13"
	if strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", got, want)
	}
}
