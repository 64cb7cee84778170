package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	manifestName  = "MANIFEST"
	segmentSuffix = ".seg"
	tempSuffix    = ".tmp"
)

func segmentName(number uint64) string { return fmt.Sprintf("%012d%s", number, segmentSuffix) }

// writeFile makes name in dir appear whole or not at all. The caller syncs
// dir afterwards.
func writeFile(dir, name string, data []byte) (err error) {
	temp := filepath.Join(dir, name+tempSuffix)
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp, filepath.Join(dir, name))
	}
	if err != nil {
		os.Remove(temp) // the error that matters is err
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// syncDir makes renames and removals in dir durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	err = f.Sync()
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}

// removeOthers deletes the files of earlier snapshots and of unfinished
// writes: all that keep does not name.
func removeOthers(dir string, keep map[string]bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("list %s: %w", dir, err)
	}
	for _, e := range entries {
		name := e.Name()
		ours := name == manifestName || strings.HasSuffix(name, segmentSuffix) || strings.HasSuffix(name, tempSuffix)
		if !ours || keep[name] {
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	return nil
}
