package embedtest

import (
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/pkg/embed/static"
)

// Folder is a folder with a model that makes other vectors than the bundled one.
func Folder(t testing.TB) string {
	t.Helper()
	bundled := static.Bundled()
	rows, err := bundled.Rows()
	if err != nil {
		t.Fatal(err)
	}
	for i := range static.Dims {
		rows[i] *= -1
	}
	m, err := bundled.WithRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "made", "model")
	if err := m.Write(folder, bundled.Identity()); err != nil {
		t.Fatal(err)
	}
	return folder
}
