package helm

import (
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"

	"github.com/freshet-dev/freshet/pkg/config"
)

// Who asks the Service reaches what the gateway listens on, and the gateway alone has
// the secret that lets people in.
func TestService_LeadsToTheGateway(t *testing.T) {
	for file, values := range valuesFiles(t) {
		o := render(t, values)
		if !slices.Contains(servicesOf(values), "gateway") {
			if c := load(t, o, "query"); len(o.fronts) > 0 || c.Gateway.Listen != "" {
				t.Errorf("%s: there is no gateway, and a Service %+v that leads to %q", file, o.fronts, c.Gateway.Listen)
			}
			continue
		}
		c := load(t, o, "gateway").Gateway
		if len(o.fronts) != 1 || len(o.fronts[0].Spec.Ports) != 1 {
			t.Fatalf("%s: the Services are %+v", file, o.fronts)
		}
		to := o.fronts[0].Spec.Ports[0].TargetPort.String()
		i := slices.IndexFunc(o.deployments["gateway"].Spec.Template.Spec.Containers[0].Ports, func(p core.ContainerPort) bool { return p.Name == to })
		if i < 0 || c.Listen != ":4723" || o.deployments["gateway"].Spec.Template.Spec.Containers[0].Ports[i].ContainerPort != 4723 {
			t.Errorf("%s: it listens on %s, and the Service leads to %s", file, c.Listen, to)
		}
		if !strings.HasSuffix(c.SecretFile, "/gateway/secret") || c.Cert == "" && !c.Plain {
			t.Errorf("%s: the gateway is %+v", file, c)
		}
		for _, host := range []string{o.fronts[0].Name, o.fronts[0].Name + "." + namespace + ".svc.cluster.local"} {
			if !slices.Contains(c.Hosts, host) {
				t.Errorf("%s: who asks %s is refused: %v", file, host, c.Hosts)
			}
		}
		if o.fronts[0].Spec.SessionAffinity != core.ServiceAffinityClientIP {
			t.Errorf("%s: a browser comes to a Pod that does not know it", file)
		}
		for name, d := range o.deployments {
			has := slices.ContainsFunc(d.Spec.Template.Spec.Containers[0].VolumeMounts, func(m core.VolumeMount) bool {
				return m.MountPath == secretsFolder+"gateway"
			})
			if has != (name == "gateway") {
				t.Errorf("%s: %s has the secret: %v", file, name, has)
			}
		}
	}
	if listen := config.Default().Gateway.Listen; !strings.HasSuffix(listen, ":4723") {
		t.Errorf("by itself it listens on %s", listen)
	}
}
