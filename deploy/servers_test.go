package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// natsSetting is a setting of the NATS server of docker-compose.yml.
func natsSetting(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("compose/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^\s*` + name + `: (\S+)$`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("compose/nats.conf has no %s", name)
	}
	return string(m[1])
}

func natsPort(t *testing.T, name string) string {
	_, port, _ := strings.Cut(natsSetting(t, name), ":")
	return port
}

// A health check that asks elsewhere never passes; a published port that nobody
// listens on is no use.
func TestComposeServers_AreAskedAtTheirPorts(t *testing.T) {
	p := loadCompose(t, team)
	for name, want := range map[string]string{
		"nats":          "http://127.0.0.1:" + natsPort(t, "http") + "/healthz",
		"elasticsearch": "http://127.0.0.1:9200/_cluster/health?",
		"weaviate":      "http://127.0.0.1:8080/v1/.well-known/ready",
	} {
		if test := strings.Join(p.Services[name].HealthCheck.Test, " "); !strings.Contains(test, want) {
			t.Errorf("%s: the health check %q does not ask %s", name, test, want)
		}
	}
	if command := strings.Join(p.Services["weaviate"].Command, " "); !strings.Contains(command, "--host 0.0.0.0 --port 8080") {
		t.Errorf("Weaviate listens elsewhere: %s", command)
	}
	if port := p.Services["nats"].Ports[0]; len(p.Services["nats"].Ports) != 1 || natsPort(t, "listen") != "4222" || port.Target != 4222 {
		t.Errorf("NATS listens on %s and publishes %+v", natsPort(t, "listen"), port)
	}
}

// A server is deployed in the version that the tests run against.
func TestComposeServers_AreOfTheTestedVersions(t *testing.T) {
	for _, c := range []struct{ service, file, version string }{
		{"nats", "../go.mod", `github.com/nats-io/nats-server/v2 v(\S+)`},
		{"elasticsearch", "servers/elasticsearch/pom.xml", `<elasticsearch.version>([^<]+)<`},
		{"weaviate", "servers/weaviate/go.mod", `github.com/weaviate/weaviate v(\S+)`},
	} {
		text, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(c.version).FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s names no version", c.file)
		}
		for _, file := range []string{team, testServers} {
			s, ok := loadCompose(t, file).Services[c.service]
			_, tag, _ := strings.Cut(s.Image, ":")
			if have := strings.TrimSuffix(tag, "-alpine"); ok && have != string(m[1]) {
				t.Errorf("%s: %s is %s, the tests have %s", file, c.service, have, m[1])
			}
		}
	}
}

func TestSecrets_AreMade(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "secrets.sh")
	text, err := os.ReadFile("secrets.sh")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, text, 0o755); err != nil {
		t.Fatal(err)
	}
	made := func() map[string]string {
		if out, err := exec.CommandContext(t.Context(), script).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out := map[string]string{}
		entries, err := os.ReadDir(filepath.Join(dir, "secrets"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			// Elasticsearch refuses a password that others may read.
			if info.Mode() != 0o600 {
				t.Errorf("%s has the mode %s", e.Name(), info.Mode())
			}
			value, err := os.ReadFile(filepath.Join(dir, "secrets", e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if !regexp.MustCompile(`^[A-Za-z0-9]{32}$`).Match(value) {
				t.Errorf("%s is %q", e.Name(), value)
			}
			out[e.Name()] = string(value)
		}
		return out
	}
	first := made()
	for name, s := range loadCompose(t, team).Secrets {
		if first[name] == "" || filepath.Base(s.File) != name || filepath.Base(filepath.Dir(s.File)) != "secrets" {
			t.Errorf("%s is not made, or is looked for at %s", name, s.File)
		}
	}
	if err := os.Remove(filepath.Join(dir, "secrets", "elastic_password")); err != nil {
		t.Fatal(err)
	}
	second := made()
	for name, value := range first {
		if kept := second[name] == value; kept == (name == "elastic_password") {
			t.Errorf("%s: kept is %v", name, kept)
		}
	}
	ignored, err := os.ReadFile("../.gitignore")
	if err != nil || !slices.Contains(strings.Split(string(ignored), "\n"), "/deploy/secrets/") {
		t.Errorf("git would take deploy/secrets: %v", err)
	}
}
