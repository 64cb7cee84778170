package config_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
)

// What is printed must load again to the same configuration, with every value
// changed from its default.
func TestPrintedConfiguration_LoadsAsTheSame(t *testing.T) {
	for name, cfg := range map[string]config.Config{"defaults": config.Default(), "all changed": changed()} {
		text, err := cfg.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := config.Load(write(t, string(text)))
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		if !reflect.DeepEqual(again, cfg) {
			t.Errorf("%s: loads as\n%+v\nwant\n%+v\n%s", name, again, cfg, text)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if len(line) > 100 && strings.Contains(line, "#") {
				t.Errorf("%s: a comment of %d bytes: %s", name, len(line), line)
			}
		}
	}
}

// changed returns a configuration in which every leaf differs from its
// default.
func changed() config.Config {
	cfg := config.Default()
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		for i := range v.NumField() {
			switch f := v.Field(i); {
			case f.Kind() == reflect.Struct:
				walk(f)
			case f.CanInt():
				f.SetInt(f.Int() + f.Int()/20 + 1)
				if f.Type() == reflect.TypeFor[time.Duration]() {
					f.SetInt(f.Int() / 1e6 * 9e5) // stays within the limits
				}
			case f.Kind() == reflect.Float64:
				f.SetFloat(f.Float() * 0.9)
			case f.Kind() == reflect.Bool:
				f.SetBool(!f.Bool())
			}
		}
	}
	walk(reflect.ValueOf(&cfg).Elem())
	cfg.Data = `/srv/${x}: "odd" # path`
	cfg.Embedder.Provider = config.OpenAI // whose settings are among these
	cfg.Collections.Code.Embedder.Provider, cfg.Collections.Docs.Embedder.Provider = config.OpenAI, config.Voyage
	cfg.Collections.Code.Embedder.Model, cfg.Collections.Docs.Embedder.Model = "a", "b"
	cfg.NATS.Host, cfg.NATS.URL = "::1", "nats://10.0.0.5:4222"
	cfg.NATS.TLS = config.TLS{CA: "/ca", Cert: "/cert", Key: "/key"}
	cfg.NATS.Credentials, cfg.NATS.Replicas = "/a.creds", 3
	cfg.Elasticsearch.URLs, cfg.Elasticsearch.CA = []string{"https://a:9200", "https://b"}, "/ca"
	cfg.Elasticsearch.Prefix, cfg.Weaviate.Prefix = "x-1", "X1"
	cfg.Weaviate.URL, cfg.Weaviate.CA = "https://w", "/ca"
	cfg.Health.Listen = ":8080"
	cfg.Embedder.Model = "/srv/model"
	cfg.Log, cfg.Watcher.Git = "debug", "go-git"
	cfg.Gateway.Hooks = []config.Hook{{Name: "birds", Kind: "gitea", Source: "birds", SecretFile: "/run/secrets/birds"}}
	cfg.Sources = []config.Source{{Root: "/srv/a", Name: "1"}, {Root: "/srv/b: c", Branch: "true"}}
	cfg.Query.Answer.Kind, cfg.Query.Answer.Model, cfg.Query.Answer.Summaries = "openai", "a", 90_000
	cfg.Query.Priorities = []config.Priority{{Path: "legacy/**", Factor: .5}, {Source: "api", Factor: 2}}
	return cfg
}

func TestEveryPrintedKey_HasASentence(t *testing.T) {
	text, err := config.Default().YAML()
	if err != nil {
		t.Fatal(err)
	}
	before := ""
	for _, line := range strings.Split(string(text), "\n") {
		if key := strings.TrimSpace(line); strings.Contains(key, ":") && !strings.HasPrefix(key, "#") && !strings.HasPrefix(before, "# ") {
			t.Errorf("%s has no comment", key)
		}
		before = strings.TrimSpace(line)
	}
}

func TestSize_ComesBackAsItWasWritten(t *testing.T) {
	for text, want := range map[string]config.Size{"0": 0, "12": 12, "1KiB": 1024, "1536B": 1536, "32 MiB": 32 << 20, "2GiB": 2 << 30,
		"5MB": 5e6, "5mb": 5e6, "64kib": 64 << 10, "1.5GiB": 3 << 29, "0.5 KB": 500, "10M": 10 << 20, "7k": 7 << 10, "1G": 1 << 30, "3b": 3} {
		got, err := config.ParseSize(text)
		if err != nil || got != want {
			t.Errorf("%q is %d, %v", text, got, err)
		}
		if again, err := config.ParseSize(got.String()); err != nil || again != got {
			t.Errorf("%s comes back as %d, %v", got, again, err)
		}
	}
	for _, bad := range []string{"", "-1", "+1", "1.5", "1.5B", "1.MiB", ".5MiB", "1e3MiB", "MiB", "9999999999GiB", "9999999999.5GiB", "1TB", "0x10"} {
		if s, err := config.ParseSize(bad); err == nil {
			t.Errorf("%q is read as %d", bad, s)
		}
	}
}
