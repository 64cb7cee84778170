package quality

import (
	"archive/tar"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// remote makes a git repository with two commits, and returns the first one.
func remote(t *testing.T) Repo {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	put := func(name, content string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	put("src/a.go", "package a\n")
	put("README.md", "outside of the root\n")
	if err := os.Symlink("a.go", filepath.Join(dir, "src", "link.go")); err != nil {
		t.Fatal(err)
	}
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	first := git("rev-parse", "HEAD")
	put("src/a.go", "package changed\n")
	git("commit", "-q", "-a", "-m", "two")
	return Repo{Name: "example", URL: dir, Revision: first, Root: "src"}
}

func TestCheckout_IsOfItsRevisionAndRoot(t *testing.T) {
	repo, cache := remote(t), t.TempDir()
	folder, err := Checkout(t.Context(), repo, cache)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(folder, "a.go"))
	if err != nil || string(content) != "package a\n" {
		t.Errorf("%q, %v", content, err)
	}
	for _, name := range []string{"src/link.go", "README.md", ".git"} {
		if _, err := os.Lstat(filepath.Join(cache, "example", name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	// What is in the cache needs no remote.
	repo.URL = filepath.Join(cache, "gone")
	if again, err := Checkout(t.Context(), repo, cache); err != nil || again != folder {
		t.Errorf("%q, %v", again, err)
	}
}

func TestFailedDownload_LeavesNoRepository(t *testing.T) {
	repo, cache := remote(t), t.TempDir()
	repo.Revision = strings.Repeat("0", 40)
	for range 2 {
		if folder, err := Checkout(t.Context(), repo, cache); err == nil {
			t.Errorf("%s passes for the repository", folder)
		}
	}
	if left, err := os.ReadDir(cache); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestArchive_WritesOnlyIntoItsFolder(t *testing.T) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.WriteHeader(&tar.Header{Name: "../evil", Typeflag: tar.TypeReg, Size: 1, Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := unpack(&archive, filepath.Join(dir, "inside")); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(filepath.Join(dir, "evil")); err == nil {
		t.Error("it did")
	}
}
