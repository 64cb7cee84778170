package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestEveryVariable_IsTaken(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("geheim\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := write(t, "nats: {port: 5001}\nwatcher: {debounce: 20ms}\n")
	cfg, err := config.Load(file,
		"FRESHET_NATS_PORT=5002", "FRESHET_NATS_TLS_CA=/ca.pem", "FRESHET_LOG=debug", "FRESHET_DATA=/srv/state",
		"FRESHET_ELASTICSEARCH_URLS=https://a:9200, https://b:9200", "FRESHET_WATCHER_MAX_FILE_SIZE=2MiB",
		"FRESHET_ELASTICSEARCH_API_KEY=${file:"+key+"}", "FRESHET_INDEXER_SWEEP=2h", "FRESHET_QUERY_K=")
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.NATS.Port, want.NATS.TLS.CA, want.Log, want.Data = 5002, "/ca.pem", "debug", "/srv/state"
	want.Elasticsearch.URLs = []string{"https://a:9200", "https://b:9200"}
	want.Elasticsearch.APIKey = "geheim"
	want.Watcher.MaxFileSize, want.Watcher.Debounce = 2<<20, 20*time.Millisecond
	want.Indexer.Sweep = 2 * time.Hour
	if !reflect.DeepEqual(cfg, want) {
		t.Errorf("got  %#v\nwant %#v", cfg, want)
	}
}

// Every key but the sources can be set by a variable, each by its own.
func TestEveryKey_HasAVariableOfItsOwn(t *testing.T) {
	text, err := config.Default().YAML()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	var at []string
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(strings.TrimRight(line, "\n"), ":")
		if !ok || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		depth := (len(key) - len(strings.TrimLeft(key, " "))) / 2
		at = append(at[:depth], strings.TrimSpace(key))
		if value == "" || at[0] == "sources" {
			continue
		}
		path := strings.Join(at, ".")
		name := config.Variable(path)
		if other, twice := seen[name]; twice {
			t.Errorf("%s sets %s and %s", name, path, other)
		}
		seen[name] = path
		// A value that no key takes shows that the variable is looked at.
		if _, err := config.Load("", name+"=${file:none}"); err == nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(seen) < 60 {
		t.Errorf("only %d variables were tried", len(seen))
	}
}

// Each error names the variable and what to write instead.
func TestBrokenVariable_IsRefusedByName(t *testing.T) {
	file := write(t, "nats: {port: 5001}\n")
	for entry, want := range map[string]string{
		"FRESHET_NATS_PORT=high":                   `FRESHET_NATS_PORT: "high" is not a whole number`,
		"FRESHET_NATS_PORT=70000":                  `FRESHET_NATS_PORT: nats.port is 70000: use 0 to 65535`,
		"FRESHET_WATCHER_DEBOUNCE=5":               `FRESHET_WATCHER_DEBOUNCE: "5" is not a duration`,
		"FRESHET_NATS_PASSWORD=${file:/none/here}": `FRESHET_NATS_PASSWORD: there is no file /none/here`,
		"FRESHET_ELASTICSEARCH_URLS=a":             `FRESHET_ELASTICSEARCH_URLS: elasticsearch.urls holds "a"`,
		"FRESHET_NATS_ULR=nats://a:1":              `the environment variable FRESHET_NATS_ULR sets nothing: did you mean FRESHET_NATS_URL?`,
		"FRESHET_ELASTICSERCH_URLS=http://a:1":     `did you mean FRESHET_ELASTICSEARCH_URLS?`,
		"FRESHET_ELASTIC_URLS=http://a:1":          `FRESHET_ELASTIC_URLS sets nothing: known are FRESHET_ELASTICSEARCH_URLS, FRESHET_ELASTICSEARCH_API_KEY`,
		"FRESHET_WEAVIATE_COLLECTION_NAME=x":       `FRESHET_WEAVIATE_COLLECTION_NAME sets nothing: known are FRESHET_WEAVIATE_URL,`,
		"FRESHET_LOG_LEVEL=debug":                  `FRESHET_LOG_LEVEL sets nothing: known are FRESHET_LOG; give one of your own another name`,
		"FRESHET_SOURCES=/srv":                     `FRESHET_SOURCES: sources stand in the configuration file only`,
		"FRESHET_GATEWAY_HOOKS=birds":              `FRESHET_GATEWAY_HOOKS: gateway.hooks stand in the configuration file only`,
	} {
		_, err := config.Load(file, "PATH=/bin", entry)
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", entry, err, want)
			continue
		}
		if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", entry, err)
		}
	}
}

// Variables of somebody else are none of ours, whatever they begin with.
func TestForeignVariable_IsLeftAlone(t *testing.T) {
	foreign := []string{
		"FRESHET_PORT=4722", "FRESHET_SOURCE=/srv", "FRESHET_UID=1000", "FRESHET_SERVERS=/tmp/servers", "FRESHET_HOME=/x",
		"FRESHET_VULTURE_SECONDS=60", "FRESHET_VULTURE_SEED=1", "FRESHET_CI_VULTURE_SECONDS=60", "FRESHET_TEST_PORT=1",
		"NATS_URL=x", "FRESHET=1",
		// Kubernetes, for services called freshet-nats, freshet-query and freshet-elasticsearch.
		"FRESHET_NATS_PORT=tcp://10.0.0.1:4222", "FRESHET_NATS_SERVICE_HOST=10.0.0.1", "FRESHET_NATS_SERVICE_PORT=4222",
		"FRESHET_NATS_SERVICE_PORT_CLIENT=4222", "FRESHET_NATS_PORT_4222_TCP=tcp://10.0.0.1:4222",
		"FRESHET_NATS_PORT_4222_TCP_ADDR=10.0.0.1", "FRESHET_QUERY_PORT=tcp://10.0.0.2:8080",
		"FRESHET_ELASTICSEARCH_PORT_9200_TCP_PROTO=tcp",
	}
	cfg, err := config.Load("", foreign...)
	if err != nil || !reflect.DeepEqual(cfg, config.Default()) {
		t.Errorf("%v", err)
	}
}
