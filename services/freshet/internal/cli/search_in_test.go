package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Without an instance a folder is indexed for the question, and the next one finds
// what has changed since; with one that watches it, that is asked.
func TestFolderWithoutAnInstance_IsSearched(t *testing.T) {
	t.Parallel()
	folder := tree(t, map[string]string{
		"parse.go":       "package api\n\n// ParseHeron reads a heron.\nfunc ParseHeron(s string) string { return s }\n",
		"sub/reeds.md":   "# Reeds\n\nA heron stands in the reeds.\n",
		"sub/deep/x.txt": "a heron, deep\n",
	})
	caches := t.TempDir()
	in := func(args ...string) *exec.Cmd {
		cmd := program(t, append([]string{"search", "-l", "--in"}, args...)...)
		cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+caches, "HOME="+caches)
		cmd.Dir = folder
		return cmd
	}
	paths := func(r result) string {
		return strings.Join(strings.Fields(r.stdout), " ")
	}
	states := func() int {
		found, err := filepath.Glob(filepath.Join(caches, "freshet/in/*/format"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}

	// Two at once: one waits for the other.
	var both sync.WaitGroup
	results := make([]result, 2)
	for n := range results {
		both.Go(func() { results[n] = finish(t, in(folder, "ParseHeron")) })
	}
	both.Wait()
	for _, r := range results {
		if r.code != 0 || !strings.HasPrefix(r.stdout, "parse.go\n") {
			t.Errorf("exit %d, %q\n%s", r.code, r.stdout, r.stderr)
		}
	}
	if states() != 1 {
		t.Errorf("there are %d states", states())
	}
	if _, err := os.Stat(filepath.Join(folder, ".freshet")); err == nil {
		t.Error("something was written into the folder")
	}

	put(t, filepath.Join(folder, "new.md"), "The pelican is new.\n")
	if err := os.Remove(filepath.Join(folder, "sub/reeds.md")); err != nil {
		t.Fatal(err)
	}
	if r := finish(t, in(".", "pelican")); r.code != 0 || !strings.HasPrefix(r.stdout, "new.md\n") || strings.Contains(r.stdout, "reeds") {
		t.Errorf("after an edit: exit %d, %q\n%s", r.code, r.stdout, r.stderr)
	}
	if r := finish(t, in(folder, "heron", "--path", "sub")); paths(r) != "sub/deep/x.txt" {
		t.Errorf("below a folder of it: %q\n%s", r.stdout, r.stderr)
	}
	if r := finish(t, in(folder, "heron", "--path", "*.go")); paths(r) != "parse.go" {
		t.Errorf("by a glob: %q\n%s", r.stdout, r.stderr)
	}
	refuse(t, in("nowhere", "heron"), "nowhere")
	refuse(t, in(folder, "heron", "--all"), "--in")
	refuse(t, in(folder, "heron", "--path", "../x"), "--in")
	if states() != 1 {
		t.Errorf("there are %d states", states())
	}

	// A running instance that watches it is asked, also about a folder in it; what
	// it does not watch is searched as before.
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	if r := finish(t, in("sub", "heron", "--data", i.data)); paths(r) != "sub/deep/x.txt" {
		t.Errorf("of a running instance: %q\n%s", r.stdout, r.stderr)
	}
	if states() != 1 {
		t.Errorf("there are %d states", states())
	}
	other := tree(t, map[string]string{"stork.md": "A stork.\n"})
	if r := finish(t, in(other, "stork", "--data", i.data)); paths(r) != filepath.Join(other, "stork.md") {
		t.Errorf("what no source has: %q\n%s", r.stdout, r.stderr)
	}
	if states() != 2 {
		t.Errorf("there are %d states", states())
	}
	i.stop()
}
