package instance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
)

func TestDamagedInstanceFile_IsUnavailable(t *testing.T) {
	path := t.TempDir()
	for _, text := range []string{"", "{", "{}", "null"} {
		if err := os.WriteFile(filepath.Join(path, "instance.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if i, err := instance.Read(path); document.KindOf(err) != document.Unavailable {
			t.Errorf("%q is read as %+v, %v", text, i, err)
		}
	}
}

func TestDefaultFolder_FollowsTheSpecification(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	t.Setenv("XDG_STATE_HOME", "/var/ada")
	if got, err := instance.Default(); err != nil || got != "/var/ada/freshet" {
		t.Errorf("%s, %v", got, err)
	}
	t.Setenv("XDG_STATE_HOME", "relative")
	if got, err := instance.Default(); err != nil || !strings.HasPrefix(got, "/home/ada/") {
		t.Errorf("%s, %v", got, err)
	}
	t.Setenv("HOME", "")
	if got, err := instance.Default(); err == nil || !strings.Contains(document.Coded(err), "[state_choose]") {
		t.Errorf("%s, %v", got, err)
	}
}
