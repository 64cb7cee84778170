package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAgentInstall_NamesTheProgramThatThereIs(t *testing.T) {
	t.Parallel()
	folder := tree(t, map[string]string{"CLAUDE.md": "Be brief.\n"})
	agent := func(args ...string) result {
		cmd := program(t, append([]string{"agent"}, args...)...)
		cmd.Dir = folder
		cmd.Env = append(cmd.Env, "HOME="+folder)
		return finish(t, cmd)
	}
	if r := agent("install", "claude", "--dry-run"); r.code != 0 || !strings.Contains(r.stdout, "makes ") || !strings.Contains(r.stdout, "+ Search this project") || !strings.HasSuffix(r.stdout, "nothing was written\n") {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(folder, ".mcp.json")); err == nil {
		t.Error("--dry-run has written")
	}
	if r := agent("install", "claude", "--data", "state"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, ".mcp.json"))
	if err != nil || !strings.Contains(string(text), `"command":"`+self+`","args":["mcp","--data","`) {
		t.Errorf("%s, %v", text, err)
	}
	if r := agent("install", "codex", "--user"); r.code != 0 || !strings.Contains(r.stdout, filepath.Join(folder, ".codex", "config.toml")) {
		t.Errorf("%+v", r)
	}
	for _, args := range [][]string{{"remove", "claude"}, {"remove", "codex", "--user"}} {
		if r := agent(args...); r.code != 0 {
			t.Errorf("%v: %+v", args, r)
		}
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("%v is left, %v", left, err)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "CLAUDE.md")); string(text) != "Be brief.\n" {
		t.Errorf("%q, %v", text, err)
	}
	for _, args := range [][]string{{"install"}, {"install", "emacs"}, {"install", "vscode", "--user"}, {"install", "claude", "--user", "--project"}} {
		if r := agent(args...); r.code != 2 || r.stdout != "" {
			t.Errorf("%v: %+v", args, r)
		}
	}
}
