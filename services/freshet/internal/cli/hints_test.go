package cli_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A folder in a work tree stands for all of it, which must not go unnoticed.
func TestWholeWorkTreeIsFollowedInSilence(t *testing.T) {
	top := tree(t, map[string]string{"README.md": "Herons.\n", "api/parse.go": "package api\n"})
	if out, err := exec.Command("git", "init", "--quiet", top).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	below := filepath.Join(top, "api")
	r := run(t, "index", below, "--data", filepath.Join(t.TempDir(), "s"))
	if r.code != 0 || !strings.Contains(r.stderr, "followed as a whole") || !strings.Contains(r.stderr, "--path api") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	if r := run(t, "index", top, "--data", filepath.Join(t.TempDir(), "s")); r.code != 0 || r.stderr != "" {
		t.Errorf("the top itself, exit %d: %s", r.code, r.stderr)
	}
}

// A restart without the folders leaves everything out of answers; the person
// must learn that it is not lost, and how it comes back.
func TestRegisteredSourcesSeemLost(t *testing.T) {
	data := filepath.Join(t.TempDir(), "s")
	must(t, "index", tree(t, small), "--data", data)
	i := start(t, data)
	defer i.stop()
	if said := i.errors(); !strings.Contains(said, "the registered sources are kept") || !strings.Contains(said, "source add") {
		t.Errorf("says only:\n%s", said)
	}
}
