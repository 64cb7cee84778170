package split

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestProse_IsCutAtSentencesWithOverlap(t *testing.T) {
	var b strings.Builder
	for b.Len() < 6000 {
		b.WriteString("This is a sentence of some length that ends here. ")
	}
	content := b.String()
	spans := Split("text", []byte(content), defaults())
	if err := Verify([]byte(content), spans, false); err != nil {
		t.Fatal(err)
	}
	for i, s := range spans {
		text := content[s.StartByte:s.EndByte]
		if len(text) > 1000 || !strings.HasPrefix(text, "This") || !strings.HasSuffix(text, "here.") {
			t.Errorf("span %d of %d bytes is not made of sentences", i, len(text))
		}
		if i > 0 {
			if n := spans[i-1].EndByte - s.StartByte; n < 100 || n > 200 {
				t.Errorf("span %d repeats %d characters", i, n)
			}
		}
	}
}

func TestParagraphs_AreKeptWhole(t *testing.T) {
	para := strings.Repeat("word ", 80)
	content := strings.Repeat(para+"\n\n", 6)
	for _, s := range Split("text", []byte(content), defaults()) {
		if !strings.HasPrefix(content[s.StartByte:s.EndByte], "word") || s.StartByte%(len(para)+2) != 0 {
			t.Errorf("a span begins within a paragraph, at %d", s.StartByte)
		}
	}
}

func TestProse_IsMeasuredInCharactersNotBytes(t *testing.T) {
	content := strings.Repeat("私は学生です。", 400)
	spans := Split("text", []byte(content), defaults())
	if err := Verify([]byte(content), spans, false); err != nil {
		t.Fatal(err)
	}
	for _, s := range spans {
		text := content[s.StartByte:s.EndByte]
		if n := utf8.RuneCountInString(text); n > 1000 || !utf8.ValidString(text) || !strings.HasSuffix(text, "。") {
			t.Errorf("span of %d characters, valid %t", n, utf8.ValidString(text))
		}
	}
	if len(spans) > 5 {
		t.Errorf("%d spans for 2,800 characters", len(spans))
	}
}

func TestOverlapOfNothing_RepeatsNothing(t *testing.T) {
	content := strings.Repeat("some words here ", 400)
	opt := Options{Target: 1500, Max: 3000, Prose: 500}
	spans := Split("text", []byte(content), opt)
	if err := Verify([]byte(content), spans, true); err != nil {
		t.Error(err)
	}
}
