package split

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/strategy"
	"github.com/freshet-dev/freshet/pkg/tokenizer"
)

// strategies are all but that by syntax, in both units.
func strategies() (out []strategy.Strategy) {
	for _, name := range []string{config.CutSentence, config.CutParagraph, config.CutFixed, config.CutRecursive, config.CutHeaders, config.CutSemantic} {
		for _, tokens := range []bool{false, true} {
			for _, overlap := range []int{0, 20} {
				s := strategy.Strategy{Name: name, Size: 48, Tokens: tokens, Overlap: overlap}
				if name == config.CutRecursive && overlap > 0 {
					s.Separators = []string{"\n\n", "\n", ". "}
				}
				out = append(out, s)
			}
		}
	}
	return out
}

func measures(t testing.TB) Measures {
	t.Helper()
	tokens, err := tokenizer.New(tokenizer.Cl100k)
	if err != nil {
		t.Fatal(err)
	}
	model, err := open.Embedder(config.Embedder{})
	if err != nil {
		t.Fatal(err)
	}
	return Measures{tokens, func(texts []string) []embed.Vector {
		vectors, _ := model.EmbedDocuments(context.Background(), texts) // fuzzing has no other
		return vectors
	}}
}

// checkBy cuts a content and verifies what every strategy promises: the passages cover
// the text, and none is longer than it may be.
func checkBy(t *testing.T, s strategy.Strategy, lang, content string, by Measures) {
	t.Helper()
	spans := By(s, lang, []byte(content), by)
	if err := Verify([]byte(content), spans, false); err != nil {
		t.Fatalf("%s in %s: %v", s, lang, err)
	}
	for _, span := range spans {
		text := content[span.StartByte:span.EndByte]
		switch {
		case s.Tokens && by.Tokens.Count(text) > s.Size+2: // a cut may make two tokens of one
			t.Errorf("%s: a passage has %d tokens", s, by.Tokens.Count(text))
		case !s.Tokens && utf8.RuneCountInString(text) > s.Size:
			t.Errorf("%s: a passage has %d characters", s, utf8.RuneCountInString(text))
		}
	}
}

func TestDocumentCutByAnyStrategy_IsCoveredByPassagesThatFit(t *testing.T) {
	by := measures(t)
	for name, content := range map[string]string{
		"empty": "", "blank": "\n\n \t\n", "sentences": strings.Repeat("This is a sentence. And another one! ", 40),
		"paragraphs": strings.Repeat("# Title\n\nSome words of a paragraph that goes on.\n\n- a\n- b\n\n", 20),
		"one word":   strings.Repeat("x", 1000), "Japanese": strings.Repeat("私は学生です。", 60),
		"invalid UTF-8": strings.Repeat("\xff\xfe\x80(x)\n \xc3\n", 60), "CRLF": strings.Repeat("a b c d e.\r\n\r\n", 60),
		"byte order mark": "\xef\xbb\xbf# A\n\ntext\n", "smileys": strings.Repeat("👩‍👩‍👧‍👦", 40),
	} {
		for _, s := range strategies() {
			for _, lang := range []string{"markdown", "text", "rst"} {
				t.Run(name+" "+s.String()+" "+lang, func(t *testing.T) { checkBy(t, s, lang, content, by) })
			}
		}
	}
}

func TestStrategy_SaysWherePassagesEnd(t *testing.T) {
	by := measures(t)
	prose := strings.Repeat("One short sentence is here. Another one follows it now.\n\n", 30)
	for _, c := range []struct {
		strategy strategy.Strategy
		ends     string
	}{
		{strategy.Strategy{Name: config.CutSentence, Size: 70}, "."},
		{strategy.Strategy{Name: config.CutSentence, Size: 16, Tokens: true}, "."},
		{strategy.Strategy{Name: config.CutParagraph, Size: 130}, "now."},
		{strategy.Strategy{Name: config.CutRecursive, Size: 60, Separators: []string{"here. "}}, "here."},
	} {
		for i, s := range By(c.strategy, "text", []byte(prose), by) {
			if text := prose[s.StartByte:s.EndByte]; s.EndByte < len(strings.TrimSpace(prose)) && !strings.HasSuffix(text, c.ends) && c.strategy.Name != config.CutRecursive {
				t.Errorf("%s: passage %d ends with %q", c.strategy, i, text[max(0, len(text)-20):])
			}
		}
	}
	fixed := By(strategy.Strategy{Name: config.CutFixed, Size: 100, Overlap: 25}, "text", []byte(strings.Repeat("abcdefghij", 100)), by)
	for i, s := range fixed[:len(fixed)-1] {
		if s.EndByte-s.StartByte != 100 || i > 0 && fixed[i-1].EndByte-s.StartByte != 25 {
			t.Errorf("passage %d has the bytes %d to %d", i, s.StartByte, s.EndByte)
		}
	}
}

// What a text speaks of changes three times, in the middle of a paragraph, too.
func TestTextSpeaksOfSomethingElse_PassageEndsThere(t *testing.T) {
	parts := []string{
		"The heron stands in the reeds at dawn. Herons catch fish and frogs in shallow water. A heron nests in tall trees beside the river. The young birds leave the nest in June. ",
		"The compiler parses the source code into a syntax tree. Each function is type checked. The linker writes the program. Unused variables are an error of the compiler.\n\n",
		"Bake the bread at high heat for forty minutes. Knead the dough of flour, water and salt. The dough rises in a warm kitchen. Let the loaf cool before you slice the bread. ",
		"The orchestra plays a symphony in four movements. The violins begin the melody. A conductor leads the musicians. The audience claps after the concert.\n",
	}
	text, ends := strings.Join(parts, ""), map[int]bool{}
	for _, size := range []int{300, 500} {
		at := 0
		for _, part := range parts {
			at += len(part)
			ends[at-1] = true // without the white space
			ends[at-2] = true
		}
		spans := By(strategy.Strategy{Name: config.CutSemantic, Size: size}, "text", []byte(text), measures(t))
		if len(spans) != len(parts) {
			t.Errorf("size %d: %d passages", size, len(spans))
		}
		for _, s := range spans {
			if !ends[s.EndByte] {
				t.Errorf("size %d: a passage is %q", size, text[s.StartByte:s.EndByte])
			}
		}
	}
}

func FuzzBy(f *testing.F) {
	by := measures(f)
	for i, content := range []string{"# A\n\nb. c! d?\n", "a\rb\r\rc", "\x00\xff\n\t\n", "\xef\xbb\xbfx", "私は。学生。", strings.Repeat("word ", 60)} {
		f.Add(uint8(i), content)
	}
	all := strategies()
	f.Fuzz(func(t *testing.T, which uint8, content string) {
		checkBy(t, all[int(which)%len(all)], "markdown", content, by)
	})
}
