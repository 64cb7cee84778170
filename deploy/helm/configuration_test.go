package helm

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"

	"github.com/freshet-dev/freshet/pkg/config"
)

const secretsFolder = "/run/secrets/"

var secretFile = regexp.MustCompile(`\$\{file:` + secretsFolder + `([a-z]+)/([a-z_.]+)\}`)

// load reads the configuration as a service does in its container: the file that
// is mounted, the Secrets that are mounted, and its environment.
func load(t *testing.T, o objects, service string) config.Config {
	t.Helper()
	pod := o.deployments[service].Spec.Template.Spec
	c := pod.Containers[0]
	dir := t.TempDir()
	text := mountedFile(t, o, pod, c, "/etc/freshet/freshet.yaml")
	for _, m := range secretFile.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(c.VolumeMounts, func(v core.VolumeMount) bool { return v.MountPath == secretsFolder+m[1] }) {
			continue // reading it fails
		}
		if err := os.MkdirAll(filepath.Join(dir, m[1]), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, m[1], m[2]), []byte("the-"+m[1]+"-"+m[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "freshet.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, secretsFolder, dir+"/")), 0o600); err != nil {
		t.Fatal(err)
	}
	var env []string
	for _, e := range c.Env {
		env = append(env, e.Name+"="+value(e))
	}
	cfg, err := config.Load(file, env...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", service, err, text)
	}
	return cfg
}

// value is that of a variable; one that comes out of a Secret names it.
func value(e core.EnvVar) string {
	if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
		return "the-" + e.ValueFrom.SecretKeyRef.Name + "-" + e.ValueFrom.SecretKeyRef.Key
	}
	return e.Value
}

// mountedFile is what a container finds at a path out of the ConfigMap.
func mountedFile(t *testing.T, o objects, p core.PodSpec, c core.Container, path string) string {
	t.Helper()
	for _, m := range c.VolumeMounts {
		for _, v := range p.Volumes {
			if v.Name != m.Name || v.ConfigMap == nil {
				continue
			}
			for _, item := range v.ConfigMap.Items {
				if m.MountPath+"/"+item.Path == path {
					return o.maps[0].Data[item.Key]
				}
			}
		}
	}
	t.Fatalf("%s has no %s", c.Name, path)
	return ""
}

func TestServices_AreAskedForTheirHealthWhereTheyTell(t *testing.T) {
	for file, values := range valuesFiles(t) {
		o := render(t, values)
		for _, name := range servicesOf(values) {
			c := o.deployments[name].Spec.Template.Spec.Containers[0]
			listen := load(t, o, name).Health.Listen
			if front := name == "gateway"; len(c.Ports) != 1 && !front || c.Ports[0].Name != "health" || listen != ":8080" || c.Ports[0].ContainerPort != 8080 {
				t.Errorf("%s: %s listens on %s, its port is %+v", file, name, listen, c.Ports)
			}
			for want, probe := range map[string]*core.Probe{"/healthz": c.LivenessProbe, "/readyz": c.ReadinessProbe} {
				if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != want || probe.HTTPGet.Port.String() != "health" {
					t.Errorf("%s: %s is asked by %+v", file, name, probe)
				} else if probe.TimeoutSeconds <= 2 {
					t.Errorf("%s: %s has %d s for an answer that may take 2", file, name, probe.TimeoutSeconds)
				}
			}
			if grace := o.deployments[name].Spec.Template.Spec.TerminationGracePeriodSeconds; grace == nil || *grace <= 9 {
				t.Errorf("%s: %s is killed while it drains", file, name)
			}
		}
	}
}

// The image starts with this file, and only these two services get the keys of
// the stores.
func TestServices_ReadTheConfigurationOfTheChart(t *testing.T) {
	values := valuesFiles(t)["secured-values.yaml"]
	o := render(t, values)
	for _, name := range services {
		c := load(t, o, name)
		if c.NATS.URL != "tls://nats.nats.svc.cluster.local:4222" || c.NATS.User != name || c.NATS.Password.Reveal() != "the-nats-"+name+"-password" || c.NATS.Replicas != 3 || !strings.HasSuffix(c.NATS.TLS.CA, "/nats/ca.crt") {
			t.Errorf("%s: NATS is %+v", name, c.NATS)
		}
		if c.Chunker.Target != 1200 || c.Chunker.Overlap != 100 || c.Log != "info" {
			t.Errorf("%s: the chunker is %+v", name, c.Chunker)
		}
		keys := c.Elasticsearch.APIKey.Reveal() == "the-elasticsearch-api_key" && c.Weaviate.APIKey.Reveal() == "the-weaviate-api_key"
		if stores := name == "indexer" || name == "query"; keys != stores || stores && (len(c.Elasticsearch.URLs) != 2 || c.Weaviate.Replicas != 3) {
			t.Errorf("%s: the stores are %+v %+v", name, c.Elasticsearch, c.Weaviate)
		}
	}
	if c := load(t, o, "chunker"); c.Chunker.Parsers != 4 {
		t.Errorf("the variable does not override: %d parsers", c.Chunker.Parsers)
	}
}

// What is watched has to be mounted.
func TestWatcher_HasItsSources(t *testing.T) {
	for file, values := range valuesFiles(t) {
		o := render(t, values)
		c := o.deployments["watcher"].Spec.Template.Spec.Containers[0]
		for _, s := range load(t, o, "watcher").Sources {
			mounted := slices.ContainsFunc(c.VolumeMounts, func(m core.VolumeMount) bool {
				return m.ReadOnly && strings.HasPrefix(s.Root, m.MountPath+"/")
			})
			if !mounted {
				t.Errorf("%s: %s is not mounted, or not read-only", file, s.Root)
			}
		}
	}
	sources := load(t, render(t, valuesFiles(t)["mirrors-values.yaml"]), "watcher").Sources
	want := []config.Source{{Root: "/var/lib/freshet/mirrors/api.git", Name: "api", Branch: "main"}, {Root: "/var/lib/freshet/mirrors/web.git", Name: "web"}}
	if !reflect.DeepEqual(sources, want) {
		t.Errorf("the sources are %+v", sources)
	}
}

// The command line of the test asks the same server as the services.
func TestStatusOfTheChart_AsksTheServer(t *testing.T) {
	o := render(t, valuesFiles(t)["secured-values.yaml"])
	c := o.tests[0].Spec.Containers[0]
	have := map[string]string{}
	for _, e := range c.Env {
		have[e.Name] = value(e)
	}
	for key, want := range map[string]string{
		"nats.url": "tls://nats.nats.svc.cluster.local:4222", "nats.user": "ask",
		"nats.password": "the-nats-ask-password", "nats.tls.ca": "/run/secrets/nats/ca.crt",
	} {
		if have[config.Variable(key)] != want {
			t.Errorf("%s is %q", config.Variable(key), have[config.Variable(key)])
		}
		delete(have, config.Variable(key))
	}
	if len(have) > 0 || len(c.VolumeMounts) != 1 || c.VolumeMounts[0].MountPath != "/run/secrets/nats" {
		t.Errorf("besides: %v, mounted: %v", have, c.VolumeMounts)
	}
}
