package config

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// A key that was written for one server goes to no other, whichever build goes on.
func TestServerIsAnother_ItGetsNoKeyOfTheFormer(t *testing.T) {
	now := Default().Embedder
	now.Provider, now.URL, now.Key, now.Former, now.Model = OpenAI, "https://new", "new-key", "old-key", "m"
	local := Default().Embedder
	local.Key, local.Former = "kept-key", "old-key"
	for name, c := range map[string]struct {
		now  Embedder
		of   contract.Embedding
		want Secret
	}{
		"the same":                  {now, contract.Embedding{Provider: OpenAI, URL: "https://new"}, "new-key"},
		"another address":           {now, contract.Embedding{Provider: OpenAI, URL: "https://old"}, "old-key"},
		"another provider":          {now, contract.Embedding{Provider: Azure, URL: "https://new"}, "old-key"},
		"left, the key still there": {local, contract.Embedding{Provider: OpenAI}, "kept-key"},
		"left, from elsewhere":      {local, contract.Embedding{Provider: OpenAI, URL: "https://old"}, "old-key"},
	} {
		if got := c.now.AsBuilt(c.of); got.Key != c.want || got.Provider != c.of.Provider || got.URL != c.of.URL {
			t.Errorf("%s: %+v has the key %s", name, got, got.Key.Reveal())
		}
	}
	if got := now.AsBuilt(contract.Embedding{Model: "/srv/model"}); got.Remote() || got.Model != "/srv/model" {
		t.Errorf("the model in the process is made by %+v", got)
	}
}

func TestEmbedderThatCannotWork_IsRefusedByName(t *testing.T) {
	for name, change := range map[string]func(*Embedder){
		"embedder.model":    func(e *Embedder) { e.Model = "" },
		"embedder.url":      func(e *Embedder) { e.Provider = Azure },
		"embedder.version":  func(e *Embedder) { e.Provider, e.URL = Azure, "https://x" },
		"embedder.timeout":  func(e *Embedder) { e.Timeout = e.Lease + 1 },
		"embedder.price":    func(e *Embedder) { e.Budget = 5 },
		"embedder.provider": func(e *Embedder) { e.Provider = "opnai" },
	} {
		c := Default()
		c.Embedder.Provider, c.Embedder.Model = OpenAI, "m"
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&c.Embedder)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), name+" ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whoever names a server and no provider would be searched by the bundled model.
func TestServerWithoutProvider_IsRefused(t *testing.T) {
	for name, change := range map[string]func(*Embedder){
		"embedder.url":            func(e *Embedder) { e.URL = "http://127.0.0.1:8080/v1" },
		"embedder.key":            func(e *Embedder) { e.Key = "k" },
		"embedder.dimensions":     func(e *Embedder) { e.Dimensions = 384 },
		"embedder.query_prefix":   func(e *Embedder) { e.QueryPrefix = "query: " },
		"embedder.passage_prefix": func(e *Embedder) { e.PassagePrefix = "passage: " },
		"embedder.budget":         func(e *Embedder) { e.Budget = 5 },
	} {
		c := Default()
		change(&c.Embedder)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), name+" ") || !strings.Contains(err.Error(), "embedder.provider") {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := Default()
	if c.Embedder.Former = "the key of what was before"; c.Validate() != nil {
		t.Errorf("back to the bundled model: %v", c.Validate())
	}
}
