package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, Environ()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

func write(t testing.TB, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), 0o644))
}

// home isolates the test from the machine's configuration.
func home(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "xdg"))
	t.Setenv("GIT_CONFIG_SYSTEM", "/dev/null")
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, ".gitconfig"))
	write(t, filepath.Join(dir, ".gitconfig"), "[user]\n\tname=T\n\temail=t@example.org\n[init]\n\tdefaultBranch=main\n[protocol \"file\"]\n\tallow=always\n")
	return dir
}

// work makes a repository with one commit.
func work(t *testing.T, dir string) string {
	t.Helper()
	git(t, filepath.Dir(dir), "init", "-q", dir)
	write(t, filepath.Join(dir, "a.txt"), "one")
	write(t, filepath.Join(dir, "sub/ \"q\"\t\xff\n.txt"), "odd")
	must(t, os.Symlink("a.txt", filepath.Join(dir, "link")))
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "one")
	return dir
}

func open(t *testing.T, path, reader string) *Repo {
	t.Helper()
	l, found, err := Find(path)
	must(t, err)
	if !found {
		t.Fatalf("no repository at %s", path)
	}
	r, err := Open(l, reader)
	must(t, err)
	t.Cleanup(r.Close)
	return r
}

func TestRepository_IsReadAtEachOfItsStates(t *testing.T) {
	for _, reader := range []string{ReaderGit, ReaderGoGit} {
		t.Run(reader, func(t *testing.T) {
			dir := work(t, filepath.Join(home(t), "w"))
			t.Setenv("GIT_DIR", "/nowhere") // as a hook would inherit it
			r, ctx := open(t, dir, reader), t.Context()
			commit := git(t, dir, "rev-parse", "HEAD")
			h, err := r.Head(ctx, "")
			must(t, err)
			if h != (Head{"main", commit}) {
				t.Errorf("%+v", h)
			}
			entries, err := r.Tree(ctx, h.Commit)
			must(t, err)
			var got []string
			for _, e := range entries {
				got = append(got, fmt.Sprintf("%o %q", e.Type(), e.Path))
			}
			slices.Sort(got)
			want := []string{`100000 "a.txt"`, `100000 "sub/ \"q\"\t\xff\n.txt"`, `120000 "link"`}
			if !slices.Equal(got, want) {
				t.Errorf("%v", got)
			}
			for _, e := range entries {
				size, err := r.Size(ctx, e.Blob)
				must(t, err)
				b, err := r.Blob(ctx, e.Blob)
				must(t, err)
				if int64(len(b)) != size || e.Path == "a.txt" && string(b) != "one" {
					t.Errorf("%s: %q, %d bytes", e.Path, b, size)
				}
			}
			if _, err := r.Blob(ctx, strings.Repeat("0", 40)); err == nil {
				t.Error("a blob that is missing was read")
			}
			if b, err := r.Blob(ctx, entries[0].Blob); err != nil {
				t.Errorf("after a failure: %q, %v", b, err)
			}
			for branch, want := range map[string]Head{"main": {"main", commit}, "none": {"none", ""}} {
				if h, err := r.Head(ctx, branch); err != nil || h != want {
					t.Errorf("%s: %+v, %v", branch, h, err)
				}
			}
			git(t, dir, "checkout", "-q", "--detach")
			if h, err := r.Head(ctx, ""); err != nil || h != (Head{"HEAD", commit}) {
				t.Errorf("detached: %+v, %v", h, err)
			}
			git(t, dir, "checkout", "-q", "--orphan", "new")
			if h, err := r.Head(ctx, ""); err != nil || h != (Head{"new", ""}) {
				t.Errorf("unborn: %+v, %v", h, err)
			}
			if e, err := r.Tree(ctx, ""); err != nil || len(e) != 0 {
				t.Errorf("tree of no commit: %v, %v", e, err)
			}
		})
	}
}

func TestExcludesAndIndex_AreReadAsGitDoes(t *testing.T) {
	for _, reader := range []string{ReaderGit, ReaderGoGit} {
		t.Run(reader, func(t *testing.T) {
			h := home(t)
			dir := work(t, filepath.Join(h, "w"))
			r, ctx := open(t, dir, reader), t.Context()
			must(t, os.RemoveAll(filepath.Join(dir, ".git/info")))
			if e, err := r.Excludes(ctx); err != nil || len(e) != 0 {
				t.Errorf("%v, %v", e, err)
			}
			write(t, filepath.Join(h, "xdg/git/ignore"), "*.default\n")
			write(t, filepath.Join(dir, ".git/info/exclude"), "a.*\n")
			e, err := r.Excludes(ctx)
			if err != nil || len(e) != 2 || e[0].Content != "*.default\n" || e[1].Content != "a.*\n" {
				t.Errorf("%v, %v", e, err)
			}
			write(t, filepath.Join(h, "my excludes"), "*.mine\n")
			git(t, dir, "config", "core.excludesFile", "~/my excludes")
			if e, err = r.Excludes(ctx); err != nil || len(e) != 2 || e[0].Content != "*.mine\n" {
				t.Errorf("%v, %v", e, err)
			}
			tracked, err := r.TrackedIgnored(ctx, func(p string) bool { return p == "a.txt" })
			if err != nil || !slices.Equal(tracked, []string{"a.txt"}) {
				t.Errorf("%q, %v", tracked, err)
			}
		})
	}
}

func TestLayouts_AreToldApart(t *testing.T) {
	h := home(t)
	dir := work(t, filepath.Join(h, "w"))
	linked, bare := filepath.Join(h, "linked"), filepath.Join(h, "bare.git")
	git(t, dir, "worktree", "add", "-q", "-b", "side", linked)
	git(t, h, "clone", "-q", "--bare", dir, bare)
	git(t, dir, "submodule", "--quiet", "add", bare, "module")
	dot := filepath.Join(dir, ".git")
	linkedDir := filepath.Join(dot, "worktrees/linked")
	for path, want := range map[string]Layout{
		dir:                          {dir, dot, dot},
		filepath.Join(dir, "sub"):    {dir, dot, dot},
		dot:                          {dir, dot, dot},
		linked:                       {linked, linkedDir, dot},
		linkedDir:                    {linked, linkedDir, dot},
		bare:                         {"", bare, bare},
		filepath.Join(dir, "module"): {filepath.Join(dir, "module"), filepath.Join(dot, "modules/module"), filepath.Join(dot, "modules/module")},
	} {
		if l, found, err := Find(path); err != nil || !found || l != want {
			t.Errorf("%s: %+v, %v, %v", path, l, found, err)
		}
	}
	if l, found, err := Find(h); err != nil || found {
		t.Errorf("%+v, %v", l, err)
	}
	r := open(t, linked, ReaderGit)
	if h, err := r.Head(t.Context(), ""); err != nil || h.Branch != "side" || h.Commit == "" {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestReaderThatDied_IsStartedAgain(t *testing.T) {
	dir := work(t, filepath.Join(home(t), "w"))
	r := open(t, dir, ReaderGit)
	blob := git(t, dir, "rev-parse", "HEAD:a.txt")
	_, err := r.Blob(t.Context(), blob)
	must(t, err)
	batch := r.objects.(*command).batch
	must(t, batch.cmd.Process.Kill())
	_, _ = r.Blob(t.Context(), blob) // may fail: the process is dying
	if b, err := r.Blob(t.Context(), blob); err != nil || string(b) != "one" {
		t.Errorf("%q, %v", b, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Blob(ended, blob); err == nil {
		t.Error("a cancelled read succeeded")
	}
	// A pack that comes later is found by the same process.
	write(t, filepath.Join(dir, "later.txt"), "later")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "two")
	git(t, dir, "gc", "-q")
	if b, err := r.Blob(t.Context(), git(t, dir, "rev-parse", "HEAD:later.txt")); err != nil || string(b) != "later" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestNoiseInTheGitDirectory_LeadsToNoComparison(t *testing.T) {
	for path, want := range map[string]Meta{
		"HEAD": MetaRefs, "packed-refs": MetaRefs, "refs/heads/a/b": MetaRefs, "logs/HEAD": MetaRefs,
		"info/exclude": MetaRules, "index": MetaNone, "index.lock": MetaNone, "refs/heads/main.lock": MetaNone,
		"COMMIT_EDITMSG": MetaNone, "objects/ab": MetaNone,
	} {
		if got := MetaOf(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
