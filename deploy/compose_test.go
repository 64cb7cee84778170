package deploy

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// loadCompose reads docker-compose.yml as `docker compose` does, with the
// variables that a user may set.
func loadCompose(t *testing.T, env ...string) *types.Project {
	t.Helper()
	o, err := cli.NewProjectOptions([]string{"../docker-compose.yml"}, cli.WithEnv(env))
	if err != nil {
		t.Fatal(err)
	}
	project, err := o.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func TestComposeBuildsWithAFileThatIsNotThere(t *testing.T) {
	s := loadCompose(t).Services["freshet"]
	if s.Build == nil {
		t.Fatal("the service is not built from this checkout")
	}
	if _, err := os.Stat(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil {
		t.Error(err)
	}
	arguments := readDockerfile(t).arguments
	for name := range s.Build.Args {
		if !slices.Contains(arguments, name) {
			t.Errorf("build argument %s is none of the Dockerfile's %v", name, arguments)
		}
	}
}

// State that lies beside the volume would be lost with the container.
func TestComposeLosesTheState(t *testing.T) {
	image := readDockerfile(t)
	s := loadCompose(t).Services["freshet"]
	for _, v := range s.Volumes {
		if v.Type == types.VolumeTypeVolume && v.Target == image.state() && !v.ReadOnly {
			return
		}
	}
	t.Errorf("no volume at the state folder %s among %v", image.state(), s.Volumes)
}

func TestComposeCouldWriteToTheSource(t *testing.T) {
	source := t.TempDir()
	s := loadCompose(t, "FRESHET_SOURCE="+source).Services["freshet"]
	watched := readDockerfile(t).command[1]
	for _, v := range s.Volumes {
		if v.Type != types.VolumeTypeBind {
			continue
		}
		if v.Source != source || v.Target != watched || !v.ReadOnly {
			t.Errorf("bind mount %+v: want %s at %s, read-only", v, source, watched)
		}
		return
	}
	t.Error("no folder is mounted")
}
