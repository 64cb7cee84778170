package config_test

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestEditedSection_KeepsAllElse(t *testing.T) {
	owned := config.EmbedderKeys()
	values := []config.Value{{Key: "provider", Text: "openai"}, {Key: "model", Text: `"m"`}, {Key: "key"}}
	for name, c := range map[string]struct{ section, before, after string }{
		"no file": {"collections.docs.embedder", "", "collections:\n  docs:\n    embedder:\n      provider: openai\n      model: \"m\"\n"},
		"no section": {
			"collections.docs.embedder",
			"# mine\nquery:\n  k: 5 # few\n",
			"# mine\nquery:\n  k: 5 # few\ncollections:\n  docs:\n    embedder:\n      provider: openai\n      model: \"m\"\n",
		},
		"another collection": {
			"collections.docs.embedder",
			"collections:\n    code:\n        embedder:\n            provider: static\nquery:\n  k: 5\n",
			"collections:\n    docs:\n      embedder:\n        provider: openai\n        model: \"m\"\n    code:\n        embedder:\n            provider: static\nquery:\n  k: 5\n",
		},
		"other values": {
			"collections.docs.embedder",
			"collections:\n  docs:\n    # why\n    embedder:\n      # the server\n      provider: ollama # here\n      model: old\n      key: ${file:/k} # secret\n      url: http://127.0.0.1:1\n\n  code:\n    embedder:\n      provider: shared\n",
			"collections:\n  docs:\n    # why\n    embedder:\n      provider: openai\n      model: \"m\"\n      key: ${file:/k} # secret\n      # the server\n\n  code:\n    embedder:\n      provider: shared\n",
		},
		"what is not owned": {
			"embedder",
			"embedder:\n  provider: tei\n  inputs: 12\n  passage_prefix: >\n    folded\n    text\n  timeout: 5s\nlog: warn\n",
			"embedder:\n  provider: openai\n  model: \"m\"\n  inputs: 12\n  timeout: 5s\nlog: warn\n",
		},
		"an empty section": {"embedder", "embedder:\nlog: warn\n", "embedder:\n  provider: openai\n  model: \"m\"\nlog: warn\n"},
	} {
		got, err := config.Edit("f.yaml", []byte(c.before), c.section, owned, values)
		if err != nil || string(got) != c.after {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.after)
		}
	}
}

func TestSectionInOneLine_IsNotEdited(t *testing.T) {
	for _, text := range []string{"collections: {docs: {embedder: {provider: static}}}\n", "log: warn\ncollections:\n  docs: {}\n", "collections: 5\n"} {
		_, err := config.Edit("f.yaml", []byte(text), "collections.docs.embedder", config.EmbedderKeys(), nil)
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), "f.yaml:") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestDifferences_AreKeysWithoutValues(t *testing.T) {
	a, b := config.Default(), config.Default()
	b.Query.K++
	b.Collections.Docs.Embedder.Key = "secret"
	b.Sources = []config.Source{{Root: "/x"}}
	if got := strings.Join(config.Differences(a, b), " "); got != "sources collections.docs.embedder.key query.k" {
		t.Error(got)
	}
	if got := config.Differences(a, a); len(got) > 0 {
		t.Error(got)
	}
	if got := strings.Join(config.Differences(b, a.WithBuilding(b)), " "); got != "sources query.k" {
		t.Error(got)
	}
}
