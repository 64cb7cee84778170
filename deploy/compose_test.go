package deploy

import (
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

const (
	team        = "../docker-compose.yml"
	alone       = "compose.single.yml"
	testServers = "compose.servers.yml"
)

// loadCompose reads a file as `docker compose` does, with the variables that a
// user may set.
func loadCompose(t *testing.T, file string, env ...string) *types.Project {
	t.Helper()
	o, err := cli.NewProjectOptions([]string{file}, cli.WithEnv(env), cli.WithProfiles([]string{"*"}))
	if err != nil {
		t.Fatal(err)
	}
	project, err := o.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// ours are the services of a file that are built from this checkout.
func ours(p *types.Project) []string {
	return slices.DeleteFunc(p.ServiceNames(), func(name string) bool { return p.Services[name].Build == nil })
}

func TestCompose_HasEveryService(t *testing.T) {
	p := loadCompose(t, team)
	for _, name := range services {
		if s, ok := p.Services[name]; !ok || s.Build == nil || s.Build.Target != name || len(s.Entrypoint)+len(s.Command) > 0 {
			t.Errorf("%s is not its image, started as that says: %+v", name, s)
		}
	}
}

func TestFilesThatComposeBuildsWith_AreThere(t *testing.T) {
	var arguments []string
	for _, stage := range readStages(t) {
		arguments = append(arguments, argumentsOf(stage)...)
	}
	for _, file := range []string{team, alone} {
		p := loadCompose(t, file)
		for _, name := range ours(p) {
			b := p.Services[name].Build
			if _, err := os.Stat(filepath.Join(b.Context, b.Dockerfile)); err != nil {
				t.Error(err)
			}
			readImage(t, b.Target) // fails where there is no such stage
			for argument := range b.Args {
				if !slices.Contains(arguments, argument) {
					t.Errorf("%s: build argument %s is none of the Dockerfile's %v", file, argument, arguments)
				}
			}
		}
	}
}

// State that lies beside a volume would be lost with the container.
func TestStateUnderCompose_LiesInAVolume(t *testing.T) {
	p, all := loadCompose(t, team), loadCompose(t, alone)
	for _, c := range []struct {
		service types.ServiceConfig
		folder  string
	}{
		{all.Services["freshet"], stateFolder(t)},
		{p.Services["nats"], natsSetting(t, "store_dir")},
		{p.Services["weaviate"], *p.Services["weaviate"].Environment["PERSISTENCE_DATA_PATH"]},
		{p.Services["elasticsearch"], "/usr/share/elasticsearch/data"},
	} {
		kept := slices.ContainsFunc(c.service.Volumes, func(v types.ServiceVolumeConfig) bool {
			return v.Type == types.VolumeTypeVolume && v.Source != "" && v.Target == c.folder && !v.ReadOnly
		})
		if !kept {
			t.Errorf("%s: no named volume at %s among %v", c.service.Name, c.folder, c.service.Volumes)
		}
	}
}

func TestSourceUnderCompose_IsReadOnly(t *testing.T) {
	source := t.TempDir()
	for file, name := range map[string]string{team: "watcher", alone: "freshet"} {
		s := loadCompose(t, file, "FRESHET_SOURCE="+source).Services[name]
		i := slices.IndexFunc(s.Volumes, func(v types.ServiceVolumeConfig) bool { return v.Type == types.VolumeTypeBind })
		if i < 0 || s.Volumes[i].Source != source || s.Volumes[i].Target != "/source" || !s.Volumes[i].ReadOnly {
			t.Errorf("%s: %v: want %s at /source, read-only", file, s.Volumes, source)
		}
	}
}

// A service starts when those that it asks at the start are healthy.
func TestComposeServices_WaitForThoseThatTheyAsk(t *testing.T) {
	p := loadCompose(t, team)
	for _, name := range p.ServiceNames() {
		for other, d := range p.Services[name].DependsOn {
			s := p.Services[other]
			ownImage := s.Build != nil && readImage(t, s.Build.Target).Healthcheck != nil
			if d.Condition != types.ServiceConditionHealthy || !ownImage && s.HealthCheck == nil {
				t.Errorf("%s waits for %s, which has to be healthy, by %q", name, other, d.Condition)
			}
		}
		if slices.Contains(services, name) {
			for _, other := range hostsOf(loadServiceConfig(t, p, name)) {
				if !waitsFor(p, name, other) {
					t.Errorf("%s does not wait for %s, which its configuration names", name, other)
				}
			}
		}
	}
}

func waitsFor(p *types.Project, name, other string) bool {
	for d := range p.Services[name].DependsOn {
		if d == other || waitsFor(p, d, other) {
			return true
		}
	}
	return false
}

func TestComposeContainers_HaveLimits(t *testing.T) {
	p := loadCompose(t, team)
	for _, name := range p.ServiceNames() {
		s := p.Services[name]
		if name != single && (s.Deploy == nil || s.Deploy.Resources.Limits == nil ||
			s.Deploy.Resources.Limits.MemoryBytes == 0 || s.Deploy.Resources.Limits.NanoCPUs == 0) {
			t.Errorf("%s has no limit of memory and processors", name)
			continue
		}
		if soft := s.Environment["GOMEMLIMIT"]; soft != nil {
			if got, most := memory(t, *soft), int64(s.Deploy.Resources.Limits.MemoryBytes); got >= most {
				t.Errorf("%s: GOMEMLIMIT is %d, with a limit of %d", name, got, most)
			}
		}
	}
}

// memory is what Go's runtime makes of GOMEMLIMIT, in bytes.
func memory(t *testing.T, text string) int64 {
	number, ok := strings.CutSuffix(text, "MiB")
	n, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil {
		t.Errorf("GOMEMLIMIT=%s: write it in MiB", text)
	}
	before := debug.SetMemoryLimit(n << 20)
	defer debug.SetMemoryLimit(before)
	return debug.SetMemoryLimit(-1)
}

func TestPortsOfCompose_AreThoseOfTheMachineAlone(t *testing.T) {
	for _, file := range []string{team, alone, testServers} {
		p := loadCompose(t, file)
		for _, name := range p.ServiceNames() {
			for _, port := range p.Services[name].Ports {
				if ip := net.ParseIP(port.HostIP); ip == nil || !ip.IsLoopback() {
					t.Errorf("%s: %s publishes %d at %q", file, name, port.Target, port.HostIP)
				}
			}
		}
	}
}

// `--scale` starts several containers of a service on one machine. Only the gateway
// has a port that people know.
func TestComposeServices_CanBeScaled(t *testing.T) {
	p := loadCompose(t, team)
	for _, name := range services {
		if name == "gateway" {
			continue
		}
		if s := p.Services[name]; s.ContainerName != "" || s.Hostname != "" || len(s.Ports) > 0 {
			t.Errorf("%s has a name or a port that only one container can have", name)
		}
	}
}

func TestComposeServices_HaveTimeToDrain(t *testing.T) {
	const drain = 9 * time.Second // docs/reference/services.md
	p := loadCompose(t, team)
	for _, name := range services {
		if grace := p.Services[name].StopGracePeriod; grace == nil || time.Duration(*grace) <= drain {
			t.Errorf("%s is killed after %v", name, grace)
		}
	}
}

func TestComposeContainers_HaveNoMoreRightsThanTheyNeed(t *testing.T) {
	p := loadCompose(t, team)
	for _, name := range p.ServiceNames() {
		s := p.Services[name]
		if !slices.Contains(s.SecurityOpt, "no-new-privileges:true") || s.Privileged {
			t.Errorf("%s may get more rights", name)
		}
		if s.Build != nil && (!s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || len(s.CapAdd) > 0) {
			t.Errorf("%s could write to its image, or has capabilities", name)
		}
	}
}
