//go:build linux || darwin

package disk

import (
	"fmt"
	"syscall"
)

// SpaceOf returns what the file system of a folder or file has.
func SpaceOf(path string) (Space, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return Space{}, fmt.Errorf("ask for the free space of %s: %w", path, err)
	}
	block := int64(st.Bsize)
	return Space{Free: int64(st.Bavail) * block, Total: int64(st.Blocks) * block}, nil
}
