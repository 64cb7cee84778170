package scan

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// keepsTimes is true for the file systems of macOS itself. What is not named
// is read: network file systems may answer from a cache, and FAT has no change
// time.
func keepsTimes(path string) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return false
	}
	name := unix.ByteSliceToString(st.Fstypename[:])
	return name == "apfs" || name == "hfs"
}

func fileID(st *syscall.Stat_t) ID { return ID{uint64(st.Dev), st.Ino} }

func changeTime(st *syscall.Stat_t) time.Time { return time.Unix(st.Ctimespec.Unix()) }
