package system

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// DiskUse returns the bytes that the files below root take up on disk
// (allocated blocks of 512 bytes, as du counts), added up by what part says of
// each file's path relative to root.
func DiskUse(root string, part func(rel string) string) (map[string]int64, error) {
	out := map[string]int64{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		size := info.Size()
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			size = st.Blocks * 512
		}
		out[part(filepath.ToSlash(rel))] += size
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("measure the disk use of %s: %w", root, err)
	}
	return out, nil
}
