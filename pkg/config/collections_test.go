package config

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestCollectionWithItsOwnEmbedder_TheOtherHasTheSharedOne(t *testing.T) {
	c := Default()
	c.Embedder.Provider, c.Embedder.Model, c.Embedder.Batch = OpenAI, "shared", 7
	c.Collections.Docs.Embedder = OwnEmbedder{Provider: Ollama, Model: "own", Price: 2}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if got := c.EmbedderOf(document.CollectionCode); got != c.Embedder {
		t.Errorf("code has %+v", got)
	}
	if got := c.EmbedderOf(document.CollectionDocs); got.Provider != Ollama || got.Model != "own" || got.Price != 2 || got.Batch != 7 || got.Key != "" {
		t.Errorf("docs has %+v", got)
	}
	same := c.WithEmbedders(c.EmbedderOf)
	if same.Collections.Code.Embedder != c.Collections.Code.Embedder || same.EmbedderOf(document.CollectionDocs) != c.EmbedderOf(document.CollectionDocs) {
		t.Errorf("what is set to what it is has become %+v", same.Collections)
	}
}

func TestOwnEmbedderThatCannotWork_IsRefusedByName(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"collections.docs.embedder.model":      func(c *Config) { c.Collections.Docs.Embedder.Provider = OpenAI },
		"collections.code.embedder.url":        func(c *Config) { c.Collections.Code.Embedder = OwnEmbedder{Provider: TEI, Model: "m"} },
		"collections.docs.embedder.dimensions": func(c *Config) { c.Collections.Docs.Embedder.Dimensions = 96 },
		"collections.docs.embedder.key":        func(c *Config) { c.Collections.Docs.Embedder = OwnEmbedder{Provider: Static, Key: "k"} },
		"collections.docs.embedder.provider":   func(c *Config) { c.Collections.Docs.Embedder.Provider = "opnai" },
		"collections.docs.embedder.price": func(c *Config) {
			c.Embedder.Budget, c.Collections.Docs.Embedder = 5, OwnEmbedder{Provider: OpenAI, Model: "m"}
		},
		"embedder.timeout": func(c *Config) {
			c.Collections.Docs.Embedder = OwnEmbedder{Provider: OpenAI, Model: "m"}
			c.Embedder.Timeout = c.Embedder.Lease + 1
		},
	} {
		c := Default()
		change(&c)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), name+" ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What was made with the shared section goes on with the key of that, although the
// collection has another server by now, and no server gets the key of another.
func TestEmbedderOfBefore_GetsTheKeyOfItsOwnServer(t *testing.T) {
	c := Default()
	c.Embedder.Provider, c.Embedder.URL, c.Embedder.Key, c.Embedder.Model = OpenAI, "https://shared", "shared-key", "m"
	c.Collections.Docs.Embedder = OwnEmbedder{Provider: Voyage, URL: "https://own", Key: "own-key", Former: "former-key", Model: "v"}
	for url, want := range map[string]Secret{"https://shared": "shared-key", "https://elsewhere": "former-key"} {
		built := c.AsBuilt(func(document.Collection) contract.Embedding {
			return contract.Embedding{Provider: OpenAI, URL: url, Model: "m", Dims: 4}
		})
		if got := built.EmbedderOf(document.CollectionDocs); got.Key != want || got.URL != url || got.Provider != OpenAI {
			t.Errorf("%s gets %s: %+v", url, got.Key.Reveal(), got)
		}
	}
}
