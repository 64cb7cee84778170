package cli_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A folder in a work tree stands for all of it, which must not go unnoticed.
func TestFolderInAWorkTree_ItIsSaidThatAllIsFollowed(t *testing.T) {
	t.Parallel()
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
func TestRestartWithoutTheFolders_SaysThatSourcesAreKept(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "s")
	must(t, "index", tree(t, small), "--data", data)
	i := start(t, data)
	i.stop() // all is said then
	if said := i.errors(); !strings.Contains(said, "the registered sources are kept") || !strings.Contains(said, "source add") {
		t.Errorf("says only:\n%s", said)
	}
}

// Whoever copies the example from the ready line gets an answer.
func TestExampleOfTheReadyLine_GetsAnAnswer(t *testing.T) {
	t.Parallel()
	i := start(t, filepath.Join(t.TempDir(), "s"), tree(t, small))
	defer i.stop()
	_, example, ok := strings.Cut(i.ready, "  try: ")
	if !ok {
		t.Fatalf("the ready line is %q", i.ready)
	}
	shell := exec.Command("/bin/sh", "-c", example)
	shell.Env = append(program(t).Env, "PATH=/nowhere")
	shell.Dir = i.cmd.Dir
	if r := finish(t, shell); r.code != 0 || r.stdout == "" {
		t.Errorf("%s: exit %d\n%s%s", example, r.code, r.stdout, r.stderr)
	}
}
