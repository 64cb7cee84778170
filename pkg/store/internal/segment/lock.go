//go:build unix

package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/freshet-dev/freshet/pkg/document"
)

const lockName = "LOCK"

// dirLock holds a directory for one Set. The kernel releases it when the
// process ends, however it ends.
type dirLock struct{ file *os.File }

// leftBehind is how long a lock is waited for: a process that is killed while it
// starts a child leaves the child its open files, until that has become the other
// program.
const leftBehind = 500 * time.Millisecond

// lockDir takes the lock of dir or returns a document.Conflict.
func lockDir(dir string) (*dirLock, error) {
	name := filepath.Join(dir, lockName)
	for until := time.Now().Add(leftBehind); ; {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("open the lock of the store in %s: %w", dir, err)
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err != nil {
			f.Close()
			if errors.Is(err, unix.EWOULDBLOCK) && time.Now().Before(until) {
				time.Sleep(leftBehind / 50)
				continue
			}
			if errors.Is(err, unix.EWOULDBLOCK) {
				return nil, document.Errorf(document.Conflict, "the store in %s is open already: stop the process that holds it, or use another folder", dir)
			}
			if errors.Is(err, unix.EINTR) {
				continue
			}
			return nil, fmt.Errorf("lock the store in %s: %w", dir, err)
		}
		// A store that was dropped a moment ago took the file away between
		// our open and our lock: then this lock holds nothing.
		same, err := stillNamed(f, name)
		if err != nil || !same {
			f.Close()
			if err != nil {
				return nil, fmt.Errorf("lock the store in %s: %w", dir, err)
			}
			continue
		}
		return &dirLock{f}, nil
	}
}

func stillNamed(f *os.File, name string) (bool, error) {
	held, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(held, named), err
}

// release gives the lock back.
func (l *dirLock) release() error { return l.file.Close() }
