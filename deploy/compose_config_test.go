package deploy

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"go.yaml.in/yaml/v3"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
)

// secretsFolder is where containers have their secrets.
const secretsFolder = "/run/secrets/"

// mounted writes the configuration and the secrets that a service of
// docker-compose.yml gets into a folder of this machine, and returns the path of
// the configuration, and the environment, with that folder's name.
func mounted(t *testing.T, p *types.Project, name string) (file string, env []string) {
	t.Helper()
	s, dir := p.Services[name], t.TempDir()
	here := func(text string) string { return strings.ReplaceAll(text, secretsFolder, dir+"/") }
	for _, secret := range s.Secrets {
		if err := os.WriteFile(filepath.Join(dir, secret.Source), []byte("the-"+secret.Source+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for variable, value := range s.Environment {
		env = append(env, variable+"="+here(*value))
	}
	if s.Build != nil {
		env = append(readImage(t, s.Build.Target).Env, env...)
	}
	for _, c := range s.Configs {
		text, err := os.ReadFile(p.Configs[c.Source].File)
		if err != nil {
			t.Fatal(err)
		}
		file = filepath.Join(dir, filepath.Base(c.Target))
		if err := os.WriteFile(file, []byte(here(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
		if s.Build != nil && name != single && !slices.Contains(readImage(t, s.Build.Target).Entrypoint, c.Target) {
			t.Errorf("%s gets its configuration at %s, and does not read that", name, c.Target)
		}
	}
	return file, env
}

// loadServiceConfig reads the configuration as the service in the container
// does. A secret that the service is not given is an error.
func loadServiceConfig(t *testing.T, p *types.Project, name string) config.Config {
	t.Helper()
	file, env := mounted(t, p, name)
	c, err := config.Load(file, env...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return c
}

func TestEveryComposeVariable_SetsAKey(t *testing.T) {
	known := variables(t)
	for _, file := range []string{team, alone} {
		p := loadCompose(t, file)
		for _, name := range ours(p) {
			for variable := range p.Services[name].Environment {
				if !known[variable] && variable != "GOMEMLIMIT" { // Go's own
					t.Errorf("%s: %s gets %s, which is no key of the configuration", file, name, variable)
				}
			}
		}
	}
}

// variables are those of all keys of the configuration.
func variables(t *testing.T) map[string]bool {
	t.Helper()
	text, err := config.Default().YAML()
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := yaml.Unmarshal(text, &keys); err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	var walk func(at string, keys map[string]any)
	walk = func(at string, keys map[string]any) {
		for key, value := range keys {
			if below, ok := value.(map[string]any); ok {
				walk(at+key+".", below)
				continue
			}
			out[config.Variable(at+key)] = true
		}
	}
	walk("", keys)
	if len(out) < 50 || !out["FRESHET_NATS_TLS_CA"] {
		t.Fatalf("only %d variables were found", len(out))
	}
	return out
}

// Every address in the configuration is that of a service in the same file, at
// the port where it listens, with the secret that it asks for.
func TestEveryAddressOfCompose_LeadsToItsService(t *testing.T) {
	p := loadCompose(t, team)
	for _, name := range services {
		c := loadServiceConfig(t, p, name)
		if at := address(t, c.NATS.URL); at != "nats:"+natsPort(t, "listen") {
			t.Errorf("%s looks for NATS at %s", name, at)
		}
		if c.NATS.User != name || c.NATS.Password.Reveal() != "the-nats_"+name+"_password" {
			t.Errorf("%s logs in to NATS as %q with %q", name, c.NATS.User, c.NATS.Password.Reveal())
		}
		if c.Stores != (config.Stores{Lexical: "elasticsearch", Vector: "weaviate"}) {
			t.Errorf("%s: the stores are %+v", name, c.Stores)
		}
		if len(c.Elasticsearch.URLs) != 1 || address(t, c.Elasticsearch.URLs[0]) != "elasticsearch:9200" {
			t.Errorf("%s looks for Elasticsearch at %v", name, c.Elasticsearch.URLs)
		}
		if at := address(t, c.Weaviate.URL); at != "weaviate:8080" {
			t.Errorf("%s looks for Weaviate at %s", name, at)
		}
		if c.Elasticsearch.Replicas != 0 {
			t.Errorf("%s asks one Elasticsearch for %d copies", name, c.Elasticsearch.Replicas)
		}
		if c.Health.Listen != ":8080" {
			t.Errorf("%s tells its health at %q", name, c.Health.Listen)
		}
		if front := name == "gateway"; front != (c.Gateway.SecretFile != "") {
			t.Errorf("%s makes tokens of %q", name, c.Gateway.SecretFile)
		} else if secret, err := bus.ReadSecret(c.Gateway.SecretFile); front && (err != nil || secret != "the-gateway_secret") {
			t.Errorf("%s makes tokens of %q, %v", name, secret.Reveal(), err)
		}
		stores := name == "indexer" || name == "query"
		if stores != (c.Elasticsearch.Password.Reveal() == "the-elastic_password" && c.Elasticsearch.Username == "elastic") ||
			stores != (c.Weaviate.APIKey.Reveal() == "the-weaviate_api_key") {
			t.Errorf("%s has the keys of the stores: want %v, and no others", name, stores)
		}
	}
	// The command line has no configuration file.
	c := loadServiceConfig(t, p, single)
	if address(t, c.NATS.URL) != "nats:"+natsPort(t, "listen") || c.NATS.User != "admin" || c.NATS.Password.Reveal() != "the-nats_admin_password" {
		t.Errorf("the command line asks %+v", c.NATS)
	}
}

func address(t *testing.T, text string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// hostsOf are the servers that a service connects to.
func hostsOf(c config.Config) []string {
	out := []string{c.NATS.URL}
	if c.Weaviate.APIKey != "" {
		out = append(append(out, c.Weaviate.URL), c.Elasticsearch.URLs...)
	}
	for i, text := range out {
		_, host, _ := strings.Cut(text, "://")
		out[i], _, _ = strings.Cut(host, ":")
	}
	return out
}

// What is watched has to be mounted.
func TestFolderThatComposeWatches_IsMounted(t *testing.T) {
	p := loadCompose(t, team)
	c := loadServiceConfig(t, p, "watcher")
	if len(c.Sources) == 0 {
		t.Error("nothing is watched")
	}
	for _, s := range c.Sources {
		if !slices.ContainsFunc(p.Services["watcher"].Volumes, func(v types.ServiceVolumeConfig) bool { return v.Target == s.Root }) {
			t.Errorf("nothing is mounted at %s", s.Root)
		}
	}
}
