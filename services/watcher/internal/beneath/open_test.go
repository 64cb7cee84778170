package beneath

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestLink_IsNotFollowed(t *testing.T) {
	outside, inside := t.TempDir(), t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644))
	must(t, os.MkdirAll(filepath.Join(inside, "a", "b"), 0o755))
	must(t, os.WriteFile(filepath.Join(inside, "a", "b", "file"), []byte("text"), 0o644))
	root := filepath.Join(t.TempDir(), "root") // the root itself may be a link
	must(t, os.Symlink(inside, root))
	for name, target := range map[string]string{"out": outside, "a/out": outside, "in": "a", "file": outside + "/secret", "loop": "loop"} {
		must(t, os.Symlink(target, filepath.Join(root, name)))
	}
	for path, want := range map[string]error{
		"out/secret": syscall.ENOTDIR, "a/out/secret": syscall.ENOTDIR, "in/b/file": syscall.ENOTDIR, "file": syscall.ELOOP, "loop": syscall.ELOOP, "loop/x": syscall.ENOTDIR,
		"a/../file": syscall.ENOENT, "../x": syscall.ENOENT, "/etc/passwd": syscall.ENOENT, "a/b/file/x": syscall.ENOTDIR, "nowhere/x": syscall.ENOENT,
	} {
		f, err := Open(root, path)
		if !errors.Is(err, want) && (path != "a/../file" || err == nil) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
		if err == nil {
			_ = f.Close()
		}
	}
	f, err := Open(root, "a/b/file")
	must(t, err)
	b, err := io.ReadAll(f)
	must(t, errors.Join(err, f.Close()))
	if string(b) != "text" {
		t.Errorf("read %q", b)
	}
	for _, dir := range []string{"", "a"} {
		f, err := Open(root, dir)
		must(t, err)
		entries, err := f.ReadDir(-1)
		must(t, errors.Join(err, f.Close()))
		if len(entries) < 2 {
			t.Errorf("%q has %v", dir, entries)
		}
	}
}

// The test fails by never ending.
func TestPipe_IsNotWaitedFor(t *testing.T) {
	root := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644))
	if b, err := ReadSmallBelow(root, "pipe", 10); !errors.Is(err, ErrNoSmallFile) {
		t.Errorf("%q, %v", b, err)
	}
	if b, err := ReadSmall(filepath.Join(root, "pipe"), 10); !errors.Is(err, ErrNoSmallFile) {
		t.Errorf("%q, %v", b, err)
	}
}

func TestEndlessFile_IsNotRead(t *testing.T) {
	root := t.TempDir()
	must(t, os.WriteFile(filepath.Join(root, "sparse"), nil, 0o644))
	must(t, os.Truncate(filepath.Join(root, "sparse"), 1<<40))
	for _, path := range []string{filepath.Join(root, "sparse"), "/dev/zero"} {
		if b, err := ReadSmall(path, 10); !errors.Is(err, ErrNoSmallFile) {
			t.Errorf("%q, %v", b, err)
		}
	}
}
