//go:build linux

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The home is empty and no service manager answers in it.
func TestService_IsMadeAndTakenOut(t *testing.T) {
	home, folder := t.TempDir(), tree(t, small)
	unit := filepath.Join(home, ".config", "systemd", "user", "freshet.service")
	does := func(args ...string) result {
		cmd := program(t, append([]string{"service"}, args...)...)
		cmd.Env = append(cmd.Env, "HOME="+home, "XDG_RUNTIME_DIR="+home, "DBUS_SESSION_BUS_ADDRESS=unix:path="+filepath.Join(home, "none"))
		return finish(t, cmd)
	}
	dry := does("install", folder, "--dry-run")
	if _, err := os.Stat(unit); dry.code != 0 || err == nil || !strings.Contains(dry.stdout, folder) || !strings.Contains(dry.stdout, "runs systemctl --user enable --now freshet.service") {
		t.Errorf("exit %d, %v: %s%s", dry.code, err, dry.stdout, dry.stderr)
	}
	r := does("install", folder)
	text, err := os.ReadFile(unit)
	if r.code != 0 || err != nil || !strings.Contains(string(text), "\"up\" \"--\" \""+folder+"\"\n") || !strings.Contains(r.stdout, "left to run: systemctl --user enable --now freshet.service") {
		t.Errorf("exit %d, %v: %s%s\n%s", r.code, err, r.stdout, r.stderr, text)
	}
	if r := does("status"); r.code != 0 || !strings.Contains(r.stdout, "installed: "+unit) {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if r := does("remove"); r.code != 0 || !strings.Contains(r.stdout, "removed "+unit) {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if left, err := os.ReadDir(filepath.Dir(unit)); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	if r := does("remove"); r.code != 2 || !strings.Contains(r.stderr, "no service of freshet is installed") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
}
