package cli_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs the git command away from the user's own configuration and returns
// what it wrote. The hooks it runs find this test binary.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asProgram+"=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestHook_TellsAPushAndNeverBreaksIt(t *testing.T) {
	t.Parallel()
	bare := filepath.Join(t.TempDir(), "birds.git")
	git(t, ".", "init", "-q", "--bare", "-b", "main", bare)
	work := tree(t, small)
	git(t, work, "init", "-q", "-b", "main")
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "one")
	git(t, work, "remote", "add", "origin", bare)
	git(t, work, "push", "-q", "origin", "main")

	data := filepath.Join(t.TempDir(), "s")
	i := start(t, data, bare)
	if out := must(t, "git", "install-hook", bare, "--data", data); !strings.Contains(out, "post-receive") {
		t.Errorf("install-hook: %s", out)
	}
	login := filepath.Join(bare, "freshet-announce")
	if info, err := os.Stat(login); err != nil || info.Mode().Perm() != 0o640 {
		t.Fatalf("the login of the hooks: %v, %v", info, err)
	}
	if text, err := os.ReadFile(login); err != nil || !strings.Contains(string(text), "nats://announce:") {
		t.Errorf("the login of the hooks is %s, %v", text, err)
	}
	// Another user does not see the state folder.
	hook := filepath.Join(bare, "hooks", "post-receive")
	if script, err := os.ReadFile(hook); err != nil || os.WriteFile(hook, []byte(strings.ReplaceAll(string(script), data, filepath.Join(data, "none"))), 0o755) != nil {
		t.Fatal(err)
	}
	// On a busy machine the token may come too late for the hook; then the
	// push says so, and the next one is another chance.
	token, text := "", ""
	for n := 1; token == ""; n++ {
		text = fmt.Sprintf("egret%d", n)
		put(t, filepath.Join(work, "egret.md"), text+"\n")
		git(t, work, "add", ".")
		git(t, work, "commit", "-qm", text)
		out := git(t, work, "push", "origin", "main")
		if _, rest, ok := strings.Cut(out, "freshet: push accepted as "); ok {
			token = strings.Fields(rest)[0]
		} else if !strings.Contains(out, "freshet: push announced") {
			t.Fatalf("the push tells nothing: %s", out)
		}
	}
	if out := must(t, "search", text, "--token", token, "--data", data); !strings.Contains(out, "egret.md") {
		t.Errorf("with the token of the push the answer is\n%s", out)
	}
	i.stop()

	put(t, filepath.Join(work, "crane.md"), "A crane dances.\n")
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "three")
	if out := git(t, work, "push", "origin", "main"); strings.Contains(out, "freshet") {
		t.Errorf("nobody runs, yet the push says %s", out)
	}
	if out := must(t, "git", "install-hook", bare, "--remove"); !strings.Contains(out, "removed post-receive") {
		t.Errorf("install-hook --remove: %s", out)
	}
	if hooks, err := filepath.Glob(filepath.Join(bare, "hooks", "post-receive")); err != nil || len(hooks) > 0 {
		t.Errorf("the hook is still there: %v, %v", hooks, err)
	}
	if _, err := os.Stat(login); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its login is still there: %v", err)
	}
}

// A hook must not fail, whatever it is given.
func TestAnnounceOfAHook_NeverFails(t *testing.T) {
	t.Parallel()
	i := start(t, filepath.Join(t.TempDir(), "s"), tree(t, small))
	for _, args := range [][]string{
		{"--repo", t.TempDir(), "--data", i.data}, {"--repo", "/none", "--data", i.data}, {"--data", "/none"}, {"--nats", "nats://127.0.0.1:1"}, {"one", "two"},
	} {
		if r := run(t, append([]string{"git", "announce", "--hook", "post-commit"}, args...)...); r.code != 0 {
			t.Errorf("%v: exit %d, %s", args, r.code, r.stderr)
		}
	}
}
