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
		"lines that end as on Windows": {
			"embedder",
			"\ufeff# mine\r\nembedder:\r\n  provider: static\r\n  model: /m # own\r\nnats:\r\n  port: 5\r\n",
			"\ufeff# mine\r\nembedder:\r\n  provider: openai\r\n  model: \"m\"\r\nnats:\r\n  port: 5\r\n",
		},
		"a value of several lines": {
			"embedder",
			"embedder:\n  key: >-\n    ${file:/k}\n  provider: tei\nlog: warn\n",
			"embedder:\n  provider: openai\n  model: \"m\"\n  key: \"${file:/k}\"\nlog: warn\n",
		},
		"an empty section": {"embedder", "embedder:\nlog: warn\n", "embedder:\n  provider: openai\n  model: \"m\"\nlog: warn\n"},
	} {
		got, err := config.Edit("f.yaml", []byte(c.before), c.section, owned, values)
		if err != nil || string(got) != c.after {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.after)
		}
	}
}

// A key goes on to be known when another one takes its place, however it is written.
func TestValueOfSeveralLines_IsWrittenAsOne(t *testing.T) {
	for text, want := range map[string]string{
		"embedder:\n  key: ${file:/k} # mine\n":        "${file:/k} # mine",
		"embedder:\n  key: >-\n    ${file:/k}\n":       `"${file:/k}"`,
		"embedder:\n  key: |-\n    a\n    b\n":         `"a\nb"`,
		"embedder:\n  key: \"a\n    b\"\n  model: m\n": `"a b"`,
		"embedder:\n  key:\n    abc\n":                 `"abc"`,
		"embedder:\n  key:\n  model: m\n":              "",
		"embedder:\n  model: m\n":                      "",
	} {
		if got, err := config.Written("f.yaml", []byte(text), "embedder", "key"); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// The text that somebody has edited on Windows means the same, and errors name its lines.
func TestLinesThatEndAsOnWindows_AreCountedAsOthers(t *testing.T) {
	c, err := config.Parse("f.yaml", []byte("\ufefflog: warn\r\nnats:\r\n  port: 5\r\n"))
	if err != nil || c.NATS.Port != 5 {
		t.Errorf("%+v, %v", c.NATS, err)
	}
	if _, err := config.Parse("f.yaml", []byte("log: warn\r\nnats:\r\n  prot: 5\r\n")); err == nil || !strings.Contains(err.Error(), "f.yaml:3:") {
		t.Errorf("%v", err)
	}
}

func TestSectionInOneLine_IsNotEdited(t *testing.T) {
	for _, text := range []string{"collections: {docs: {embedder: {provider: static}}}\n", "log: warn\ncollections:\n  docs: {}\n", "collections: ~\n", "collections: 5\n"} {
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
	// What the watcher writes into versions is its own to read.
	b = a
	b.Chunker.Max++
	b.Chunker.Strategies = []config.Strategy{{Paths: []string{"a"}}}
	b.Collections.Own = []config.OwnCollection{{Name: "docs-a"}}
	if got := strings.Join(config.Differences(b, a.WithBuilding(b)), " "); got != "chunker.strategies collections.own" {
		t.Error(got)
	}
}
