package speed

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// errEnough ends a walk.
var errEnough = errors.New("enough")

// Files that take part in an edited tree: text, not empty, not unusually
// large.
const (
	smallestFile = 64
	largestFile  = 128 << 10
)

// copyTree copies up to limit text files (0: all files) of from to the folder
// to, with their paths, and returns these paths relative to it. The order is
// that of the file names.
func copyTree(from, to string, limit int) ([]string, error) {
	var out []string
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if limit > 0 && (len(content) < smallestFile || len(content) > largestFile || bytes.IndexByte(content, 0) >= 0) {
			return nil
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return err
		}
		out = append(out, rel)
		if len(out) == limit {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, fmt.Errorf("copy the tree %s: %w", from, err)
	}
	return out, nil
}
