package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
)

func TestSecret_IsNeverPrinted(t *testing.T) {
	cfg := config.Default()
	cfg.NATS.URL = "nats://ada:geheim-1@a:4222,nats://geheim-2@b:4222,nats://c:4222"
	cfg.NATS.User, cfg.NATS.Password = "ada", "geheim-3"
	cfg.Elasticsearch.APIKey, cfg.Weaviate.APIKey = "geheim-4", "geheim-5"
	cfg.Elasticsearch.Password = "geheim-6"
	yaml, err := cfg.YAML()
	if err != nil {
		t.Fatal(err)
	}
	secrets := struct{ A, B config.Secret }{cfg.NATS.Password, cfg.Weaviate.APIKey}
	js, err := json.Marshal(secrets)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "secrets", secrets, "secret", cfg.NATS.Password)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "secrets", secrets, "secret", cfg.NATS.Password)
	for name, text := range map[string]string{
		"YAML": string(yaml), "JSON": string(js), "logs": log.String(),
		"formats": fmt.Sprintf("%v %+v %#v %s %q", secrets, secrets, secrets, secrets, secrets),
	} {
		if strings.Contains(text, "geheim") {
			t.Errorf("%s shows a secret:\n%s", name, text)
		}
	}
	if cfg.NATS.Password.Reveal() != "geheim-3" {
		t.Error("the secret is lost")
	}
	if !strings.Contains(string(yaml), "nats://c:4222") {
		t.Errorf("a URL without a user is hidden:\n%s", yaml)
	}
}

// A printed configuration must not log in with the placeholder.
func TestPlaceholderOfASecret_IsRefused(t *testing.T) {
	cfg := config.Default()
	cfg.NATS.User, cfg.NATS.Password = "ada", "geheim"
	text, err := cfg.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(write(t, string(text))); err == nil || !strings.Contains(err.Error(), "nats.password is the placeholder") {
		t.Errorf("%v", err)
	}
}

func TestFileOfASecret_IsRead(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	key := put("key", "a: \"b\" ${HOME} # c\r\n\n")
	empty, long := put("empty", "\n"), put("long", strings.Repeat("x", 1<<17))
	for text, want := range map[string]string{
		"${file:" + key + "}":                       `a: "b" ${HOME} # c`,
		"x${file:" + key + ":-d}y":                  `xa: "b" ${HOME} # cy`,
		"${file:" + dir + "/none:-default}":         "default",
		"${file:" + empty + ":-${file:" + key + "}": `${file:` + key,
	} {
		cfg, err := config.Load(write(t, "elasticsearch: {api_key: '"+text+"'}\n"))
		if err != nil || cfg.Elasticsearch.APIKey.Reveal() != want {
			t.Errorf("%s is %q, %v", text, cfg.Elasticsearch.APIKey.Reveal(), err)
		}
	}
	for text, want := range map[string]string{
		"${file:" + dir + "/none}": "elasticsearch.api_key: there is no file " + dir + "/none: create it",
		"${file:" + empty + "}":    "the file " + empty + " is empty: write the value into it",
		"${file:" + long + "}":     "has more than 65536 bytes",
		"${file:" + dir + ":-x}":   "cannot be read",
	} {
		_, err := config.Load(write(t, "elasticsearch: {api_key: '"+text+"'}\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
