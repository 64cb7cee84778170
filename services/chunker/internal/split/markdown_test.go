package split

import (
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func defaults() Options {
	var o Options
	o.SetDefaults()
	return o
}

// sections writes spans as "headings: first line".
func sections(content string, spans []document.Span) []string {
	var out []string
	for _, s := range spans {
		line, _, _ := strings.Cut(content[s.StartByte:s.EndByte], "\n")
		out = append(out, strings.Join(s.Headings, "/")+": "+strings.TrimSpace(line))
	}
	return out
}

func cutMarkdown(t *testing.T, content string) []document.Span {
	t.Helper()
	spans := Split("markdown", []byte(content), defaults())
	if err := Verify([]byte(content), spans, false); err != nil {
		t.Error(err)
	}
	return spans
}

func TestHeadings_BecomeSectionsWithTheirPath(t *testing.T) {
	content := `---
title: x
---
Before.

# One

Text.

## Two ##

More.

#### Four

Still two.

### Three

Deep.

## Next
text
Setext
======
End.

Sub
---

No heading # here
#nor here
`
	got := sections(content, cutMarkdown(t, content))
	// "Setext" follows a line of text, so that it is no heading but a paragraph.
	want := []string{": ---", ": Before.", "One: # One", "One/Two: ## Two ##", "One/Two/Three: ### Three", "One/Next: ## Next", "One/Sub: Sub"}
	if !slices.Equal(got, want) {
		t.Errorf("sections are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSetextHeadings_BecomeSections(t *testing.T) {
	content := "Title\n=====\n\nText.\n\nSub\n---\nMore.\n"
	want := []string{"Title: Title", "Title/Sub: Sub"}
	if got := sections(content, cutMarkdown(t, content)); !slices.Equal(got, want) {
		t.Errorf("sections are %q, want %q", got, want)
	}
}

func TestHeadingWithoutText_IntroducesTheNextSection(t *testing.T) {
	content := "# Title\n\n## Install\n\nRun it.\n\n## Use\n\nUse it.\n"
	want := []string{"Title/Install: # Title", "Title/Use: ## Use"}
	if got := sections(content, cutMarkdown(t, content)); !slices.Equal(got, want) {
		t.Errorf("sections are %q, want %q", got, want)
	}
}

func TestHeadingsInsideFences_AreCode(t *testing.T) {
	content := "# A\n\n```sh\n# comment\n```\n\n~~~~\n# other\n~~~\n# still\n~~~~\n\n# B\n\ntext\n"
	want := []string{"A: # A", "B: # B"}
	if got := sections(content, cutMarkdown(t, content)); !slices.Equal(got, want) {
		t.Errorf("sections are %q, want %q", got, want)
	}
	open := "# A\n\n```\n# never closed\n"
	if got := sections(open, cutMarkdown(t, open)); len(got) != 1 {
		t.Errorf("a fence that is not closed gives %q", got)
	}
}

func TestFencesAndTablesThatFit_AreNotCut(t *testing.T) {
	para := strings.Repeat("Some words that fill a paragraph of prose. ", 12) + "\n\n"
	fence := "```go\n" + strings.Repeat("call(argument, another)\n\n", 30) + "```\n"
	table := "| a | b |\n|---|---|\n" + strings.Repeat("| cell one | cell two |\n", 30)
	content := "# T\n\n" + para + para + fence + "\n" + para + para + table + "\n" + para
	spans := cutMarkdown(t, content)
	for _, whole := range []string{fence, table} {
		whole = strings.TrimSpace(whole)
		if !slices.ContainsFunc(spans, func(s document.Span) bool { return strings.Contains(content[s.StartByte:s.EndByte], whole) }) {
			t.Errorf("no span holds all of %.20q", whole)
		}
	}
	for _, s := range spans {
		if n := s.EndByte - s.StartByte; n > 1000 {
			t.Errorf("a span has %d characters", n)
		}
		if text := content[s.StartByte:s.EndByte]; strings.HasPrefix(text, "| cell") || strings.HasPrefix(text, "call(") {
			t.Errorf("a span begins within a block: %.30q", text)
		}
	}
}

func TestFenceThatDoesNotFit_IsCutAtItsLines(t *testing.T) {
	content := "# T\n\n```\n" + strings.Repeat("a line of output\n", 300) + "```\n"
	spans := cutMarkdown(t, content)
	if len(spans) < 5 {
		t.Fatalf("%d spans", len(spans))
	}
	for _, s := range spans {
		if n := s.EndByte - s.StartByte; n > 1000 || len(s.Headings) != 1 {
			t.Errorf("a span has %d characters below %q", n, s.Headings)
		}
	}
}
