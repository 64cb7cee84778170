package scan

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// keeping are the file systems that change times can be relied on, by the
// number that statfs gives. What is not listed is read: network file systems
// (NFS, SMB, 9P, Ceph) may answer from a cache, those in user space (FUSE) do
// as they please, and FAT has no change time.
var keeping = map[uint32]bool{
	unix.EXT4_SUPER_MAGIC:      true, // ext2 and ext3, too
	unix.XFS_SUPER_MAGIC:       true,
	unix.BTRFS_SUPER_MAGIC:     true,
	unix.F2FS_SUPER_MAGIC:      true,
	unix.TMPFS_MAGIC:           true,
	unix.RAMFS_MAGIC:           true,
	unix.OVERLAYFS_SUPER_MAGIC: true,
	unix.SQUASHFS_MAGIC:        true,
	unix.EROFS_SUPER_MAGIC_V1:  true,
	unix.NILFS_SUPER_MAGIC:     true,
	0x3153464a:                 true, // JFS
	0x2fc12fc1:                 true, // ZFS
	0xca451a4e:                 true, // bcachefs
}

func keepsTimes(path string) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return false
	}
	return keeping[uint32(st.Type)] // negative on some machines where it is signed
}

func fileID(st *syscall.Stat_t) ID { return ID{st.Dev, st.Ino} }

func changeTime(st *syscall.Stat_t) time.Time { return time.Unix(st.Ctim.Unix()) }
