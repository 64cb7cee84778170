package beneath

import "golang.org/x/sys/unix"

// descend opens rel below an open folder in one step, without following a link
// or leaving the folder. Where a path is deep, one step for each element of
// each path in it would take the square of its depth.
func descend(folder int, rel string) (fd int, err error) {
	return again(func() (int, error) {
		return unix.Openat2(folder, rel, &unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS})
	})
}
