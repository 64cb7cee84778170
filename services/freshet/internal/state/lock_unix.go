//go:build unix

package state

import (
	"errors"
	"os"
	"syscall"
)

// takeLock opens the file or folder at path, a file where there is nothing,
// and locks it until it is closed, which the kernel does for a process that
// dies. What is locked stood at the path after that: somebody may have removed
// it meanwhile. The error is errLocked when another process holds the lock. A
// folder on a file system that locks none is nil.
func takeLock(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		dir := errors.Is(err, syscall.EISDIR)
		if dir {
			f, err = os.Open(path)
		}
		if err != nil {
			return nil, err
		}
		err = flock(f)
		if err == nil {
			var there bool
			if there, err = stands(f); there {
				return f, nil
			}
		}
		_ = f.Close()
		switch {
		case err == nil: // removed or replaced meanwhile
		case errors.Is(err, syscall.EWOULDBLOCK):
			return nil, errLocked
		case dir && (errors.Is(err, syscall.EBADF) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOLCK)):
			return nil, nil
		default:
			return nil, err
		}
	}
}

func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
