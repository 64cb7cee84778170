package tokenizer_test

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/tokenizer"
)

func TestText_IsCountedAsModelsOfTheNameCount(t *testing.T) {
	for name, want := range map[string]int{tokenizer.O200k: 4, tokenizer.Cl100k: 4} {
		c, err := tokenizer.New(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Count("Hello, world!"); got != want {
			t.Errorf("%s counts %d, want %d", name, got, want)
		}
		long := strings.Repeat("a", 200_000)
		if c.Fits(long, 100) || !c.Fits(long, len(long)) {
			t.Errorf("%s is wrong about a long run", name)
		}
	}
	if _, err := tokenizer.New("p50k"); document.KindOf(err) != document.InvalidRequest {
		t.Errorf("got %v", err)
	}
}

func TestModelIsNotExact_CountIsRaised(t *testing.T) {
	c, err := tokenizer.New(tokenizer.O200k)
	if err != nil {
		t.Fatal(err)
	}
	if got := (tokenizer.Counter{Tokenizer: c, Factor: 1.3}).Count("Hello, world!"); got != 6 {
		t.Errorf("4 tokens by 1.3 are %d", got)
	}
}

func TestModel_HasItsWindow(t *testing.T) {
	for name, want := range map[string]tokenizer.Model{
		"gpt-4o-mini":        {128_000, tokenizer.FromTable, tokenizer.O200k, 1},
		"openai/gpt-4":       {8_192, tokenizer.FromTable, tokenizer.Cl100k, 1},
		"gpt-4-turbo":        {128_000, tokenizer.FromTable, tokenizer.Cl100k, 1},
		"Claude-Opus-4":      {200_000, tokenizer.FromTable, tokenizer.O200k, 1.3},
		"somebody/model-32k": {32 << 10, tokenizer.FromName, tokenizer.O200k, 1.3},
		"model-1m":           {1 << 20, tokenizer.FromName, tokenizer.O200k, 1.3},
		"model-70b":          {8_192, tokenizer.FromDefault, tokenizer.O200k, 1.3},
		"":                   {8_192, tokenizer.FromDefault, tokenizer.O200k, 1},
	} {
		if got := tokenizer.ForModel(name); got != want {
			t.Errorf("%q: got %+v, want %+v", name, got, want)
		}
	}
}
