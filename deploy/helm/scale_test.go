package helm

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rollout"
)

// A consumer that is not there counts as a backlog of the whole stream, so KEDA
// would start as many processes as it may.
func TestScalers_LookAtTheConsumersThatThereAre(t *testing.T) {
	for file, values := range valuesFiles(t) {
		o := render(t, values)
		if len(o.scalers) == 0 {
			continue
		}
		cfg := load(t, o, "query")
		_, build, err := rollout.Resolved(cfg)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][]contract.Consumer{
			"chunker": {contract.ChunkerConsumer(build.ID())},
		}
		for _, g := range build.Generations() {
			want["embedder"] = append(want["embedder"], contract.EmbedderConsumer(g))
			want["indexer"] = append(want["indexer"], contract.IndexerConsumer(g, document.Lexical), contract.IndexerConsumer(g, document.Vector))
		}
		for service, consumers := range want {
			var have, names []string
			for _, trigger := range o.scalers[service].Spec.Triggers {
				if trigger.Type != "nats-jetstream" {
					t.Errorf("%s: %s is scaled by %s", file, service, trigger.Type)
				}
				have = append(have, trigger.Metadata["stream"]+" "+trigger.Metadata["consumer"])
			}
			for _, c := range consumers {
				names = append(names, c.Stream+" "+c.Name)
				if name := strings.ReplaceAll(strings.ReplaceAll(c.Name, "-code-", "-*-"), "-docs-", "-*-"); !strings.Contains(o.notes, name) {
					t.Errorf("%s: the notes do not name %s", file, name)
				}
			}
			slices.Sort(have)
			slices.Sort(names)
			if !slices.Equal(have, names) {
				t.Errorf("%s: %s is scaled by %v, and works on %v", file, service, have, names)
			}
		}
	}
}

// The scaler reads what its trigger says by name, and no type checks that.
func TestScalers_KnowTheirSettings(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/kedacore/keda/v2").Output()
	if err != nil {
		t.Fatal(err)
	}
	for kind, file := range map[string]string{"nats-jetstream": "nats_jetstream_scaler.go", "cpu": "cpu_memory_scaler.go"} {
		source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "pkg/scalers", file))
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{}
		for _, m := range regexp.MustCompile("`keda:\"name=([A-Za-z]+)").FindAllStringSubmatch(string(source), -1) {
			known[m[1]] = true
		}
		seen := 0
		for _, s := range render(t, nil).scalers {
			for _, trigger := range s.Spec.Triggers {
				if trigger.Type != kind {
					continue
				}
				seen++
				for name, value := range trigger.Metadata {
					if !known[name] || value == "" {
						t.Errorf("%s is %q; KEDA knows %v", name, value, slices.Sorted(maps.Keys(known)))
					}
				}
			}
		}
		if seen == 0 {
			t.Errorf("nothing is scaled by %s", kind)
		}
	}
}

func TestOnlyOne_SaysHowManyThereAre(t *testing.T) {
	for file, values := range valuesFiles(t) {
		o := render(t, values)
		for name, d := range o.deployments {
			s, scaled := o.scalers[name]
			switch {
			case scaled && s.Spec.ScaleTargetRef.Name != d.Name:
				t.Errorf("%s: the scaler of %s scales %s", file, name, s.Spec.ScaleTargetRef.Name)
			case scaled == (d.Spec.Replicas != nil):
				t.Errorf("%s: %s is scaled: %v, and has the number %v", file, name, scaled, d.Spec.Replicas)
			case scaled && (*s.Spec.MinReplicaCount < 1 || *s.Spec.MaxReplicaCount < *s.Spec.MinReplicaCount):
				// The embedder answers queries, the indexer keeps the stores: one of each runs always.
				t.Errorf("%s: of %s there are %d to %d", file, name, *s.Spec.MinReplicaCount, *s.Spec.MaxReplicaCount)
			}
		}
		if _, scaled := o.scalers["watcher"]; scaled {
			t.Errorf("%s: the watcher is scaled", file)
		}
	}
}
