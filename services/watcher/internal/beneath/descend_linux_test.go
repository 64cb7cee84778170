package beneath

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestDeepPath_IsOpenedAtOnce(t *testing.T) {
	root := t.TempDir()
	deep := strings.Repeat("d/", 1000)
	must(t, os.MkdirAll(filepath.Join(root, deep), 0o755))
	must(t, os.WriteFile(filepath.Join(root, deep, "file"), []byte("text"), 0o644))
	before := elements.Load()
	if b, err := ReadSmallBelow(root, deep+"file", 10); err != nil || string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := Open(root, deep+"nothing"); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("%v", err)
	}
	if n := elements.Load() - before; n > 0 {
		t.Errorf("%d elements were opened one by one", n)
	}
}
