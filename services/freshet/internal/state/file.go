package state

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Temporary begins the names of files that are being written: one that a kill has left
// makes no folder a foreign one.
const Temporary = ".new-"

var (
	errLocked       = errors.New("another process holds the lock")
	errNotDirectory = syscall.ENOTDIR
)

// writeAtomically replaces the file at path, mode 0600: readers see the old
// or the new content, also after a power loss.
func writeAtomically(path string, content []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), Temporary)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(content); err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
