package scan

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// outside returns a folder with one file that is nobody's business.
func outside(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "secret.txt"), []byte("secret"), 0o644))
	return dir
}

// A directory is exchanged for a link when its watch is registered, which is
// after it was listed and before it is read.
func TestDirectoryThatBecomesALink_IsNotWalked(t *testing.T) {
	root, out := t.TempDir(), outside(t)
	must(t, os.Mkdir(filepath.Join(root, "dir"), 0o755))
	err := newDisk(root).Walk(t.Context(), "", func(raw string) {
		if raw == "dir" {
			must(t, os.Remove(filepath.Join(root, "dir")))
			must(t, os.Symlink(out, filepath.Join(root, "dir")))
		}
	}, func(c Candidate) error {
		t.Errorf("came upon %q", c.Raw)
		return nil
	})
	must(t, err)
}

// The parent of a file is exchanged for a link after the walk came upon it.
func TestFileBehindANewLink_IsNotRead(t *testing.T) {
	root, out := t.TempDir(), outside(t)
	must(t, os.Symlink(out, filepath.Join(root, "dir")))
	f, err := newDisk(root).Look(t.Context(), Candidate{Raw: "dir/secret.txt", Walked: true}, contract.FileHead{}, nil)
	if err != nil || f.Kind != Gone || f.Content != nil {
		t.Errorf("%+v, %v", f, err)
	}
}

// A bare repository may have had such a path under the same source and view.
func TestPathOutOfTheRoot_IsNotLookedAt(t *testing.T) {
	root, out := filepath.Join(t.TempDir(), "root"), outside(t)
	must(t, os.Mkdir(root, 0o755))
	rel, err := filepath.Rel(root, filepath.Join(out, "secret.txt"))
	must(t, err)
	for _, raw := range []string{rel, "x/../" + rel, "/../" + rel} {
		if f := look(t, newDisk(root), raw, contract.FileHead{}); f.Kind != Gone {
			t.Errorf("%s: %+v", raw, f)
		}
	}
}

// A tree that goes down further than a path can reach must not end the
// comparison, and its edge has to be known.
func TestPathBeyondTheLimit_IsSkippedAndTheWalkGoesOn(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer func() { _ = root.Close() }()
	element := strings.Repeat("d", 250)
	deep := element
	for len(dir)+len(deep) < unix.PathMax+1000 {
		deep += "/" + element
	}
	must(t, root.MkdirAll(deep, 0o755))
	must(t, root.WriteFile(deep+"/bottom.txt", []byte("text"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "beside.txt"), []byte("text"), 0o644))
	d, found := newDisk(dir), map[string]Finding{}
	must(t, d.Walk(t.Context(), "", nil, func(c Candidate) error {
		f, err := d.Look(t.Context(), c, contract.FileHead{}, nil)
		d.Budget.Give(f.Weight)
		found[c.Raw] = f
		return err
	}))
	if len(found) != 2 || found["beside.txt"].Kind != Put {
		t.Errorf("%d findings", len(found))
	}
	for raw, f := range found {
		if raw == "beside.txt" {
			continue
		}
		if f.Kind != Skip || f.Reason != "unreadable: path too long" || len(dir)+1+len(raw) < unix.PathMax {
			t.Errorf("%d bytes: %v %s", len(raw), f.Kind, f.Reason)
		}
		// What is there no longer has to go, however long its path is.
		must(t, root.RemoveAll(strings.SplitN(deep, "/", 2)[0]))
		if f := look(t, d, raw, contract.FileHead{Op: contract.OpSkipped}); f.Kind != Gone {
			t.Errorf("after its removal: %+v", f.Kind)
		}
	}
}

// Content that cannot be read keeps out its file only, unless it is known.
func TestBadSector_KeepsOutItsFileAlone(t *testing.T) {
	d := newDisk(t.TempDir())
	bad := &os.PathError{Op: "read", Path: "x", Err: syscall.EIO}
	if f, err := d.unreachable(Finding{Path: "x"}, "x", contract.FileHead{}, bad); err != nil || f.Kind != Skip || f.Reason != "unreadable: input/output error" {
		t.Errorf("%+v, %v", f, err)
	}
	if f, err := d.unreachable(Finding{Path: "x"}, "x", contract.FileHead{Op: contract.OpPut}, bad); err == nil {
		t.Errorf("content that is known is given up: %+v", f)
	}
}
