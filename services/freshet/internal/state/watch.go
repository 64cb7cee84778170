package state

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// watchEvery is the time between two looks at what is locked.
const watchEvery = time.Second

// ErrLost is what the error of Watch is, too: the folder may belong to
// somebody else by now, so that nothing more may be written to it.
var ErrLost = errors.New("the state folder is lost")

// lost is a sentence for a person that is ErrLost.
type lost struct{ sentence error }

func (l lost) Error() string { return l.sentence.Error() }

func (l lost) Unwrap() error { return l.sentence }

func (lost) Is(target error) bool { return target == ErrLost }

// Watch returns when something that this process has locked is no longer what
// stands at its path: another process could lock what does, and find the same
// log there. It returns nil when ctx ends.
func (f *Folder) Watch(ctx context.Context) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		if err := f.check(); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// check fails where something that is locked was removed or replaced. What
// cannot be looked at is taken to be there.
func (f *Folder) check() error {
	for _, held := range f.locks() {
		if there, err := stands(held); err == nil && !there {
			return lost{document.Errorf(document.Conflict, "%s was removed or replaced while freshet ran on it, so it stopped, lest two write one log: start it again, which reads the sources anew if the log is gone", held.Name())}
		}
	}
	return nil
}

// stands reports whether an open file is the one at its path.
func stands(f *os.File) (bool, error) {
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	now, err := os.Stat(f.Name())
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDirectory) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, now), err
}

// locks are the open files whose locks this process holds.
func (f *Folder) locks() []*os.File {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]*os.File(nil), f.held...)
}

// hold takes the lock of a file or folder of the state folder and keeps it
// until Close.
func (f *Folder) hold(path string) error {
	lock, err := f.take(path)
	switch {
	case errors.Is(err, errLocked):
		return occupied(f.path)
	case err != nil:
		return unusable(f.path, err)
	case lock == nil:
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = append(f.held, lock)
	return nil
}

// take takes a lock, and waits a little for one that whoever held it left behind.
func (f *Folder) take(path string) (*os.File, error) {
	for until := time.Now().Add(f.patience); ; {
		lock, err := takeLock(path)
		if !errors.Is(err, errLocked) || f.owned() || !time.Now().Before(until) {
			return lock, err
		}
		time.Sleep(f.patience / 100)
	}
}

// owned reports whether who owns the folder has said so, and is alive.
func (f *Folder) owned() bool {
	r, err := instance.Read(f.path)
	return err == nil && r.Alive()
}

// release gives every lock back, the first one last.
func (f *Folder) release() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	for i := range f.held {
		err = errors.Join(err, f.held[len(f.held)-1-i].Close())
	}
	f.held = nil
	return err
}

// TakeLog makes the folder of the embedded server where it is missing, and
// locks it: wherever a log is moved to, one process writes it.
func (f *Folder) TakeLog() (string, error) {
	path := filepath.Join(f.path, "log")
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", unusable(f.path, err)
	}
	return path, f.hold(path)
}
