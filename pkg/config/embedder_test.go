package config

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// A key that was written for one server goes to no other, whichever build goes on.
func TestKeyGoesToAnotherServer(t *testing.T) {
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

func TestEmbedderThatCannotWorkIsAccepted(t *testing.T) {
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
