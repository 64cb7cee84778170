//go:build unix

package githook

import (
	"io/fs"
	"syscall"
)

// groupOf is the group of a file.
func groupOf(info fs.FileInfo) (gid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Gid), true
}
