package helm

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	keda "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const (
	chartFolder = "freshet"
	release     = "team"
	namespace   = "search"
)

var services = []string{"watcher", "chunker", "embedder", "indexer", "query", "evaluator", "gateway"}

// valuesFiles are the sets of values that the tests render with: none, and
// those in ci.
func valuesFiles(t *testing.T) map[string]map[string]any {
	t.Helper()
	files, err := filepath.Glob(chartFolder + "/ci/*-values.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%v: %v", files, err)
	}
	out := map[string]map[string]any{"defaults": {}}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var values map[string]any
		if err := yaml.UnmarshalStrict(text, &values); err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(file)] = values
	}
	return out
}

// servicesOf are those that run with some values: the gateway needs a secret.
func servicesOf(values map[string]any) []string {
	secrets, _ := values["secrets"].(map[string]any)
	if secrets["gateway"] == nil {
		return services[:len(services)-1]
	}
	return services
}

// objects are what the chart makes of some values.
type objects struct {
	maps        []core.ConfigMap
	deployments map[string]apps.Deployment // by service
	scalers     map[string]keda.ScaledObject
	budgets     map[string]policy.PodDisruptionBudget
	policies    []networking.NetworkPolicy
	claims      []core.PersistentVolumeClaim
	accounts    []core.ServiceAccount
	fronts      []core.Service
	tests       []core.Pod
	notes       string
}

// render does as `helm template`. It fails where a document has a field that
// its type does not have.
func render(t *testing.T, values map[string]any) objects {
	t.Helper()
	o, err := tryRender(t, values)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func tryRender(t *testing.T, values map[string]any) (objects, error) {
	t.Helper()
	o := objects{deployments: map[string]apps.Deployment{}, scalers: map[string]keda.ScaledObject{}, budgets: map[string]policy.PodDisruptionBudget{}}
	chart, err := loader.Load(chartFolder)
	if err != nil {
		return o, err
	}
	all, err := util.ToRenderValues(chart, values, common.ReleaseOptions{Name: release, Namespace: namespace, IsInstall: true, Revision: 1}, nil)
	if err != nil {
		return o, err
	}
	files, err := engine.Engine{Strict: true}.RenderWithContext(t.Context(), chart, all)
	if err != nil {
		return o, err
	}
	for name, text := range files {
		if strings.HasSuffix(name, "NOTES.txt") {
			o.notes = text
			continue
		}
		for _, document := range regexp.MustCompile(`(?m)^---$`).Split(text, -1) {
			if strings.TrimSpace(document) != "" {
				o.add(t, name, document)
			}
		}
	}
	return o, nil
}

func (o *objects) add(t *testing.T, file, document string) {
	t.Helper()
	var of meta.TypeMeta
	if err := yaml.Unmarshal([]byte(document), &of); err != nil {
		t.Fatalf("%s: %v\n%s", file, err, document)
	}
	switch of.APIVersion + " " + of.Kind {
	case "v1 ConfigMap":
		o.maps = append(o.maps, decode[core.ConfigMap](t, file, document))
	case "apps/v1 Deployment":
		d := decode[apps.Deployment](t, file, document)
		o.deployments[d.Labels["app.kubernetes.io/component"]] = d
	case "keda.sh/v1alpha1 ScaledObject":
		s := decode[keda.ScaledObject](t, file, document)
		o.scalers[s.Labels["app.kubernetes.io/component"]] = s
	case "policy/v1 PodDisruptionBudget":
		b := decode[policy.PodDisruptionBudget](t, file, document)
		o.budgets[b.Labels["app.kubernetes.io/component"]] = b
	case "networking.k8s.io/v1 NetworkPolicy":
		o.policies = append(o.policies, decode[networking.NetworkPolicy](t, file, document))
	case "v1 PersistentVolumeClaim":
		o.claims = append(o.claims, decode[core.PersistentVolumeClaim](t, file, document))
	case "v1 ServiceAccount":
		o.accounts = append(o.accounts, decode[core.ServiceAccount](t, file, document))
	case "v1 Service":
		o.fronts = append(o.fronts, decode[core.Service](t, file, document))
	case "v1 Pod":
		o.tests = append(o.tests, decode[core.Pod](t, file, document))
	default:
		t.Errorf("%s: nothing checks a %s of %s", file, of.Kind, of.APIVersion)
	}
}

func decode[T any](t *testing.T, file, document string) T {
	t.Helper()
	var v T
	if err := yaml.UnmarshalStrict([]byte(document), &v, yaml.DisallowUnknownFields); err != nil {
		t.Errorf("%s: %v\n%s", file, err, document)
	}
	return v
}

func TestChart_Lints(t *testing.T) {
	for name, values := range valuesFiles(t) {
		for _, m := range lint.RunAll(chartFolder, values, namespace).Messages {
			if m.Severity > support.InfoSev {
				t.Errorf("%s: %v", name, m)
			}
		}
	}
}

func TestChart_RendersWhatIsSwitchedOn(t *testing.T) {
	for name, values := range valuesFiles(t) {
		o := render(t, values)
		if len(o.deployments) != len(servicesOf(values)) || len(o.maps) != 1 || len(o.tests) != 1 || o.notes == "" {
			t.Errorf("%s: %d Deployments, %d ConfigMaps, %d tests", name, len(o.deployments), len(o.maps), len(o.tests))
		}
	}
	o := render(t, valuesFiles(t)["fixed-values.yaml"])
	if len(o.scalers)+len(o.budgets)+len(o.policies)+len(o.claims)+len(o.accounts) > 0 {
		t.Errorf("what is switched off is there: %+v", o)
	}
	if got := o.deployments["query"].Spec.Template.Spec.Containers[0].Image; got != "registry.example.org/freshet/query:1.2.3" {
		t.Errorf("the image is %s", got)
	}
	if len(render(t, valuesFiles(t)["secured-values.yaml"]).policies) != 1 || len(render(t, valuesFiles(t)["mirrors-values.yaml"]).claims) != 1 {
		t.Error("what is switched on is not there")
	}
}
