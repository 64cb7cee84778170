package helm

import (
	"slices"
	"testing"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// pods are the Pods of all Deployments and tests.
func (o objects) pods() map[string]core.PodSpec {
	out := map[string]core.PodSpec{}
	for name, d := range o.deployments {
		out[name] = d.Spec.Template.Spec
	}
	for _, p := range o.tests {
		out[p.Name] = p.Spec
	}
	return out
}

func TestPods_HaveNoMoreRightsThanTheyNeed(t *testing.T) {
	yes := func(b *bool) bool { return b != nil && *b }
	no := func(b *bool) bool { return b != nil && !*b }
	for file, values := range valuesFiles(t) {
		for name, p := range render(t, values).pods() {
			s := p.SecurityContext
			if s == nil || !yes(s.RunAsNonRoot) || s.RunAsUser == nil || *s.RunAsUser == 0 || s.SeccompProfile == nil || s.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
				t.Errorf("%s: %s runs with %+v", file, name, s)
			}
			if !no(p.AutomountServiceAccountToken) || !no(p.EnableServiceLinks) {
				t.Errorf("%s: %s gets a token, or variables of other services", file, name)
			}
			for _, c := range slices.Concat(p.InitContainers, p.Containers) {
				s := c.SecurityContext
				if s == nil || !no(s.AllowPrivilegeEscalation) || !yes(s.ReadOnlyRootFilesystem) ||
					s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) || len(s.Capabilities.Add) > 0 {
					t.Errorf("%s: %s of %s runs with %+v", file, c.Name, name, s)
				}
				if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() {
					t.Errorf("%s: %s of %s has the resources %+v", file, c.Name, name, c.Resources)
				}
			}
		}
		for _, a := range render(t, values).accounts {
			if !no(a.AutomountServiceAccountToken) {
				t.Errorf("%s: the account %s gives a token", file, a.Name)
			}
		}
	}
}

// A mount without a volume, or with that of another Pod, never starts.
func TestPods_MountWhatTheyHave(t *testing.T) {
	for file, values := range valuesFiles(t) {
		o := render(t, values)
		for name, p := range o.pods() {
			volumes := map[string]core.Volume{}
			for _, v := range p.Volumes {
				if _, twice := volumes[v.Name]; twice {
					t.Errorf("%s: %s has two volumes %s", file, name, v.Name)
				}
				volumes[v.Name] = v
				if v.ConfigMap != nil {
					for _, item := range v.ConfigMap.Items {
						if v.ConfigMap.Name != o.maps[0].Name || o.maps[0].Data[item.Key] == "" {
							t.Errorf("%s: %s mounts %s of %s, which is empty", file, name, item.Key, v.ConfigMap.Name)
						}
					}
				}
			}
			used := map[string]bool{}
			for _, c := range slices.Concat(p.InitContainers, p.Containers) {
				for _, m := range c.VolumeMounts {
					used[m.Name] = true
					if _, ok := volumes[m.Name]; !ok {
						t.Errorf("%s: %s of %s mounts %s, which is no volume", file, c.Name, name, m.Name)
					}
				}
			}
			for v := range volumes {
				if !used[v] {
					t.Errorf("%s: nothing in %s mounts %s", file, name, v)
				}
			}
		}
	}
}

// What selects Pods by labels selects those of one service, and all of them.
func TestSelectors_FindTheirOwnPods(t *testing.T) {
	for file, values := range valuesFiles(t) {
		o := render(t, values)
		selected := func(by labels.Selector) (out []string) {
			for name, d := range o.deployments {
				if by.Matches(labels.Set(d.Spec.Template.Labels)) {
					out = append(out, name)
				}
			}
			for _, p := range o.tests {
				if by.Matches(labels.Set(p.Labels)) {
					out = append(out, "test")
				}
			}
			slices.Sort(out)
			return out
		}
		for name, d := range o.deployments {
			if got := selected(labels.SelectorFromSet(d.Spec.Selector.MatchLabels)); !slices.Equal(got, []string{name}) {
				t.Errorf("%s: the Deployment of %s has the Pods of %v", file, name, got)
			}
		}
		for name, b := range o.budgets {
			if got := selected(labels.SelectorFromSet(b.Spec.Selector.MatchLabels)); !slices.Equal(got, []string{name}) {
				t.Errorf("%s: the budget of %s counts the Pods of %v", file, name, got)
			}
			// A least number would keep a node from being emptied.
			if b.Spec.MinAvailable != nil || b.Spec.MaxUnavailable.IntValue() != 1 {
				t.Errorf("%s: the budget of %s is %+v", file, name, b.Spec)
			}
		}
		for _, f := range o.fronts {
			if got := selected(labels.SelectorFromSet(f.Spec.Selector)); !slices.Equal(got, []string{"gateway"}) {
				t.Errorf("%s: the Service leads to the Pods of %v", file, got)
			}
		}
		for _, p := range o.policies {
			if got := selected(labels.SelectorFromSet(p.Spec.PodSelector.MatchLabels)); len(got) != len(servicesOf(values))+1 {
				t.Errorf("%s: the policy is for %v", file, got)
			}
		}
	}
}
