//go:build !linux

package beneath

import "golang.org/x/sys/unix"

// descend cannot open a path in one step here.
func descend(int, string) (fd int, err error) { return -1, unix.ENOSYS }
