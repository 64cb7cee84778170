package gitrepo

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// opened returns a repository by its folder.
func opened(t *testing.T, dir, reader string) *Repo {
	t.Helper()
	l, found, err := Find(dir)
	if err != nil || !found {
		t.Fatalf("%v, %v", found, err)
	}
	r, err := Open(l, reader)
	must(t, err)
	t.Cleanup(r.Close)
	return r
}

func TestProgramThatARepositoryNames_IsNotRun(t *testing.T) {
	dir := work(t, filepath.Join(home(t), "w"))
	trap := filepath.Join(t.TempDir(), "trap")
	write(t, trap+".sh", "#!/bin/sh\n: > '"+trap+"'\n")
	must(t, os.Chmod(trap+".sh", 0o755))
	git(t, dir, "config", "core.fsmonitor", trap+".sh")
	_, err := opened(t, dir, ReaderGit).TrackedIgnored(t.Context(), func(string) bool { return true })
	must(t, err)
	if _, err := os.Stat(trap); err == nil {
		t.Error("it ran")
	}
}

// Git itself would wait for the pipes. The test fails by never ending.
func TestPipeInARepository_IsNotWaitedFor(t *testing.T) {
	dir := work(t, filepath.Join(home(t), "w"))
	for _, name := range []string{".gitignore", ".git/info/exclude"} {
		_ = os.Remove(filepath.Join(dir, name))
		must(t, syscall.Mkfifo(filepath.Join(dir, name), 0o644))
	}
	for _, reader := range []string{ReaderGit, ReaderGoGit} {
		r := opened(t, dir, reader)
		if _, err := r.TrackedIgnored(t.Context(), func(string) bool { return false }); err != nil {
			t.Error(err)
		}
		if out, err := r.Excludes(t.Context()); err != nil || len(out) != 0 {
			t.Errorf("%v, %v", out, err)
		}
	}
	for _, name := range []string{"HEAD", "config", "index", "packed-refs"} {
		dir := work(t, filepath.Join(t.TempDir(), "w"))
		_ = os.Remove(filepath.Join(dir, ".git", name))
		must(t, syscall.Mkfifo(filepath.Join(dir, ".git", name), 0o644))
		if _, found, err := Find(dir); found || err != nil {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

// Git itself waits for ever.
func TestPipeForABranch_IsNotWaitedFor(t *testing.T) {
	dir := work(t, filepath.Join(home(t), "w"))
	r := opened(t, dir, ReaderGit)
	r.objects.(*command).limit = 300 * time.Millisecond
	ref := filepath.Join(dir, ".git/refs/heads/main")
	must(t, os.Remove(ref))
	must(t, syscall.Mkfifo(ref, 0o644))
	if h, err := r.Head(t.Context(), ""); document.KindOf(err) != document.Unavailable {
		t.Errorf("%+v, %v", h, err)
	}
}

// A pointer of a terabyte is none.
func TestHugePointerToARepository_IsNotRead(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".git", "HEAD", "commondir", "gitdir"} {
		write(t, filepath.Join(dir, name), "")
		must(t, os.Truncate(filepath.Join(dir, name), 1<<40))
	}
	if l, found, _ := Find(filepath.Join(dir)); found && l.Top != "" {
		t.Errorf("found %+v", l)
	}
	_ = os.Remove(filepath.Join(dir, "commondir"))
	if l, found, err := Find(dir); found || err != nil {
		t.Errorf("found %+v, %v", l, err)
	}
}
