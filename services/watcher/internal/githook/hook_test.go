package githook

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	if err := cmd.Run(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, both.String())
	}
	return both.String()
}

// fixture is a repository, and a program that notes how it was called.
type fixture struct {
	*testing.T
	repo, binary, log string
}

func newFixture(t *testing.T) *fixture {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_SYSTEM", "/dev/null")
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
	f := &fixture{T: t, repo: filepath.Join(home, "it's a repo"), binary: filepath.Join(home, "bin dir", "freshet"), log: filepath.Join(home, "calls")}
	f.write(filepath.Join(home, ".gitconfig"), "[user]\n\tname=T\n\temail=t@example.org\n[init]\n\tdefaultBranch=main\n", 0o644)
	f.write(f.binary, "#!/bin/sh\nprintf '%s|' \"$@\" >>'"+f.log+"'\necho >>'"+f.log+"'\necho 'freshet: push announced'\n", 0o755)
	git(t, home, "init", "-q", f.repo)
	return f
}

func (f *fixture) write(path, content string, mode os.FileMode) {
	f.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		f.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) install(repo string) []Change {
	f.Helper()
	c, err := Install(f.Context(), repo, []string{f.binary, "--data", "/va r/'x'"})
	if err != nil {
		f.Fatal(err)
	}
	return c
}

// calls returns the hooks that called the program since the last time, after
// it was checked that they name the repository.
func (f *fixture) calls(repo string) string {
	f.Helper()
	b, err := os.ReadFile(f.log)
	if os.IsNotExist(err) {
		return ""
	}
	if err != nil {
		f.Fatal(err)
	}
	_ = os.Remove(f.log)
	var names []string
	for line := range strings.Lines(string(b)) {
		w := strings.Split(line, "|")
		if len(w) != 9 || w[0] != "git" || w[1] != "announce" || w[2] != "--hook" || w[4] != "--repo" || w[5] != repo || w[6] != "--data" || w[7] != "/va r/'x'" {
			f.Errorf("called with %q, for %s", w, repo)
		}
		names = append(names, w[3])
	}
	return strings.Join(names, " ")
}

func TestHooks_AreCalled(t *testing.T) {
	f := newFixture(t)
	if got := len(f.install(f.repo)); got != len(Names) {
		t.Errorf("%d hooks installed", got)
	}
	f.write(filepath.Join(f.repo, "a"), "1", 0o644)
	git(t, f.repo, "add", ".")
	git(t, f.repo, "commit", "-qm", "one")
	if got := f.calls(f.repo); got != "post-commit" {
		t.Errorf("commit called %q", got)
	}
	git(t, f.repo, "commit", "-q", "--amend", "-m", "uno")
	if got := f.calls(f.repo); !strings.Contains(got, "post-rewrite") {
		t.Errorf("amend called %q", got)
	}
	git(t, f.repo, "checkout", "-qb", "side")
	if got := f.calls(f.repo); got != "post-checkout" {
		t.Errorf("checkout called %q", got)
	}
	f.write(filepath.Join(f.repo, "b"), "1", 0o644)
	git(t, f.repo, "add", ".")
	git(t, f.repo, "commit", "-qm", "two")
	git(t, f.repo, "checkout", "-q", "main")
	f.calls(f.repo)
	git(t, f.repo, "merge", "-q", "--no-ff", "-m", "merge", "side")
	if got := f.calls(f.repo); !strings.Contains(got, "post-merge") {
		t.Errorf("merge called %q", got)
	}

	bare := filepath.Join(filepath.Dir(f.repo), "bare.git")
	git(t, filepath.Dir(f.repo), "init", "-q", "--bare", bare)
	f.install(bare)
	out := git(t, f.repo, "push", bare, "main")
	if got := f.calls(bare); got != "post-receive" {
		t.Errorf("push called %q", got)
	}
	if !strings.Contains(out, "freshet: push announced") {
		t.Errorf("the pusher sees %q", out)
	}
}

func TestExistingHook_KeepsItsInputAndStatus(t *testing.T) {
	f := newFixture(t)
	bare := filepath.Join(filepath.Dir(f.repo), "bare.git")
	git(t, filepath.Dir(f.repo), "init", "-q", "--bare", bare)
	seen := filepath.Join(bare, "seen")
	script := "#!/bin/sh -e\ncat >'" + seen + "'\nexit 3"
	hook := filepath.Join(bare, "hooks", "post-receive")
	f.write(hook, script, 0o755)
	for range 2 { // the second time must change nothing
		for _, c := range f.install(bare) {
			if c.Kept != (c.Name == "post-receive") {
				t.Errorf("%+v", c)
			}
		}
	}
	f.write(filepath.Join(f.repo, "a"), "1", 0o644)
	git(t, f.repo, "add", ".")
	git(t, f.repo, "commit", "-qm", "one")
	git(t, f.repo, "push", "-q", bare, "main")
	if got := f.calls(bare); got != "post-receive" {
		t.Errorf("push called %q", got)
	}
	if b, err := os.ReadFile(seen); err != nil || !strings.Contains(string(b), "refs/heads/main") {
		t.Errorf("the hook that was there read %q (%v)", b, err)
	}
	run := exec.Command(hook)
	run.Dir = bare
	if err := run.Run(); run.ProcessState.ExitCode() != 3 {
		t.Errorf("exit status %v", err)
	}
	if _, err := Remove(t.Context(), bare); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(hook); string(b) != script {
		t.Errorf("removal left %q", b)
	}
	if entries, _ := filepath.Glob(filepath.Join(bare, "hooks", "post-commit")); len(entries) > 0 {
		t.Error("removal left a hook that installation made")
	}
}

func TestHooksPath_IsUsed(t *testing.T) {
	f := newFixture(t)
	git(t, f.repo, "config", "core.hooksPath", ".githooks")
	f.install(f.repo)
	if _, err := os.Stat(filepath.Join(f.repo, ".githooks", "post-commit")); err != nil {
		t.Error(err)
	}
	git(t, f.repo, "commit", "-q", "--allow-empty", "-m", "x")
	if got := f.calls(f.repo); got != "post-commit" {
		t.Errorf("commit called %q", got)
	}
}

func TestHooksThatCannotTakeTheBlock_AreLeftAlone(t *testing.T) {
	f := newFixture(t)
	hooks := filepath.Join(f.repo, ".git", "hooks")
	python := "#!/usr/bin/env python3\nprint('x')\n"
	f.write(filepath.Join(hooks, "post-commit"), python, 0o755)
	f.write(filepath.Join(hooks, "post-merge"), "#!/bin/sh\n", 0o644)
	f.write(filepath.Join(f.repo, "shared.sh"), "#!/bin/sh\n", 0o755)
	if err := os.Symlink(filepath.Join(f.repo, "shared.sh"), filepath.Join(hooks, "post-checkout")); err != nil {
		t.Fatal(err)
	}
	done, err := Install(t.Context(), f.repo, []string{f.binary})
	if document.KindOf(err) != document.Conflict || len(done) != 2 {
		t.Fatalf("%v, %v", done, err)
	}
	for _, want := range []string{"post-commit is no shell script", "git announce --hook post-commit", "post-merge is there, but", "post-checkout is a symbolic link"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(hooks, "post-commit")); string(b) != python {
		t.Errorf("changed to %q", b)
	}
	if _, err := Install(t.Context(), t.TempDir(), []string{f.binary}); document.KindOf(err) != document.NotFound {
		t.Errorf("no repository: %v", err)
	}
}

func FuzzRemoval_RestoresTheBytes(f *testing.F) {
	for _, s := range []string{"", "#!/bin/sh", "#!/bin/sh\n", "echo\n", "#!/usr/bin/env -S bash -e\nexit 1\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		if strings.Contains(script, begin) {
			return
		}
		out, ok := insert([]byte(script), "post-commit", []string{"/bin/freshet"})
		if !ok {
			return
		}
		again, _ := insert(out, "post-commit", []string{"/bin/freshet"})
		if !bytes.Equal(again, out) {
			t.Errorf("not idempotent: %q, %q", out, again)
		}
		if rest, made := remove(out); made || string(rest) != script {
			t.Errorf("%q became %q", script, rest)
		}
	})
}
