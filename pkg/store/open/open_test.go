package open_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store/open"
)

func build(analyzer string) contract.Build {
	return contract.Build{Analyzer: analyzer, Embedding: contract.Embedding{Embedder: "id", Dims: 4}}
}

func options(dir, analyzer string, generations ...document.Generation) open.Options {
	o := open.FromConfig(config.Default(), build(analyzer))
	o.Dir, o.Generations = dir, generations
	return o
}

// folders lists what stands two levels below a folder.
func folders(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i], _ = filepath.Rel(dir, all[i])
	}
	return all
}

func TestUnusedStore_IsRemoved(t *testing.T) {
	dir := t.TempDir()
	reopen := func(analyzer string, generations ...document.Generation) {
		t.Helper()
		s, err := open.Open(options(dir, analyzer, generations...))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	reopen("a", "code-1", "docs-1")
	first := folders(t, dir)
	if len(first) != 4 {
		t.Fatalf("%v", first)
	}
	reopen("b", "code-1", "docs-1")
	second := folders(t, dir)
	if len(second) != 4 || slices.Contains(second, first[0]) {
		t.Errorf("tokens of another analyzer are taken for its own: %v, then %v", first, second)
	}
	reopen("b", "code-2")
	if third := folders(t, dir); len(third) != 2 || !strings.HasPrefix(third[0], "code-2/lexical-") || third[1] != "code-2/vector" {
		t.Errorf("there are %v", third)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("there are %v", left)
	}
}

func TestOpeningFails_NoStoreStaysOpen(t *testing.T) {
	dir := t.TempDir()
	broken := options(dir, "a", "code-1")
	broken.Dims = nil
	if _, err := open.Open(broken); err == nil || !strings.Contains(err.Error(), "code-1") {
		t.Fatalf("%v", err)
	}
	s, err := open.Open(options(dir, "a", "code-1"))
	if err != nil {
		t.Fatal(err) // "it is open already"
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestEmbeddedStoreForSeparateProcesses_IsRefused(t *testing.T) {
	err := open.CheckShared(config.Default())
	if document.KindOf(err) != document.InvalidRequest || !strings.Contains(document.Coded(err), "set stores.lexical to elasticsearch, or run freshet itself [start]") {
		t.Errorf("%v", err)
	}
}

func TestConfiguredServer_IsUsed(t *testing.T) {
	c := config.Default()
	c.Stores = config.Stores{Lexical: config.OnElasticsearch, Vector: config.OnWeaviate}
	c.Elasticsearch.URLs, c.Weaviate.URL = []string{"https://127.0.0.1:1"}, "https://127.0.0.1:1"
	if err := errors.Join(c.Validate(), open.CheckShared(c)); err != nil {
		t.Fatal(err)
	}
	o := open.FromConfig(c, build("a"))
	o.Generations = []document.Generation{"code-1"}
	s, err := open.Open(o) // asks no server
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range []interface {
		Count(context.Context) (int, error)
	}{s["code-1"].Lexical, s["code-1"].Vector} {
		if _, err := st.Count(t.Context()); document.KindOf(err) != document.Unavailable || !strings.Contains(err.Error(), "https://127.0.0.1:1") {
			t.Errorf("%v", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// One store is embedded, the other on a server: what the former left behind of
// the latter's kind is removed.
func TestStoreMovedToAServer_TheFormerIsRemoved(t *testing.T) {
	o := options(t.TempDir(), "a", "code-1")
	o.Stores.Vector, o.Weaviate.URL = config.OnWeaviate, "https://127.0.0.1:1"
	left := filepath.Join(o.Dir, "code-1", "vector")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := open.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if have := folders(t, o.Dir); len(have) != 1 || have[0] == "code-1/vector" {
		t.Errorf("there are %v", have)
	}
}

func TestBadFileOfAuthorities_IsNamed(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{empty, empty + "-none"} {
		for _, server := range []string{config.OnElasticsearch, config.OnWeaviate} {
			o := options(t.TempDir(), "a", "code-1")
			o.Elasticsearch.URLs, o.Weaviate.URL = []string{"https://127.0.0.1:1"}, "https://127.0.0.1:1"
			o.Elasticsearch.CA, o.Weaviate.CA = file, file
			if server == config.OnWeaviate {
				o.Stores.Vector = server
			} else {
				o.Stores.Lexical = server
			}
			_, err := open.Open(o)
			if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), server+".ca") {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}
