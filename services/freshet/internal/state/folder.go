package state

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// Format is the version of the folder's layout that this program writes and
// reads. It rises when an older program would misread what a newer one wrote.
const Format = 1

const formatFile = "format"

// Folder is a state folder that this process owns until Close. Its methods are
// safe for concurrent use.
type Folder struct {
	path     string
	patience time.Duration // with a lock that nobody alive is known to hold

	mu   sync.Mutex
	held []*os.File // locked: the lock file, the folder itself, the log
}

// Open creates the folder at path (mode 0700) where it is missing, takes its
// lock, and checks its format. The error is Conflict when another process owns
// it, VersionMismatch when a newer program wrote it, Forbidden without
// permission, and InvalidRequest when the path is no state folder. Nothing is
// changed in a folder that is refused.
func Open(path string) (*Folder, error) { return open(path, leftBehind) }

// leftBehind is how long a lock is waited for whose owner is not alive: a process
// that is killed while it starts a child leaves the child its open files, until
// that has become the other program. On a busy machine this takes a while.
const leftBehind = 2 * time.Second

func open(path string, patience time.Duration) (*Folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, unusable(path, err)
	}
	if err := checkFormat(path); err != nil {
		return nil, err
	}
	f := &Folder{path: path, patience: patience}
	err := f.hold(filepath.Join(path, instance.LockFile))
	if err == nil {
		err = f.hold(path) // whatever becomes of the lock file
	}
	if err == nil {
		// Again under the lock: another process may have made the state meanwhile.
		err = f.prepare()
	}
	if err != nil {
		_ = f.release()
		return nil, err
	}
	return f, nil
}

func (f *Folder) prepare() error {
	if err := checkFormat(f.path); err != nil {
		return err
	}
	if err := os.Chmod(f.path, 0o700); err != nil {
		return unusable(f.path, err)
	}
	if err := writeAtomically(filepath.Join(f.path, formatFile), []byte(strconv.Itoa(Format)+"\n")); err != nil {
		return unusable(f.path, err)
	}
	return nil
}

// Path is the absolute path of the folder.
func (f *Folder) Path() string { return f.path }

// Stores is the folder of the embedded stores.
func (f *Folder) Stores() string { return filepath.Join(f.path, "stores") }

// Close removes the instance file and gives the folder back. Everything in the
// folder must be closed before. Of a folder that is lost nothing is removed.
func (f *Folder) Close() error {
	if f.check() != nil {
		return f.release()
	}
	err := os.Remove(filepath.Join(f.path, instance.RecordFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, f.release())
}

func checkFormat(path string) error {
	text, err := os.ReadFile(filepath.Join(path, formatFile))
	if errors.Is(err, fs.ErrNotExist) {
		return checkEmpty(path)
	}
	if err != nil {
		return unusable(path, err)
	}
	found, err := strconv.Atoi(strings.TrimSpace(string(text)))
	switch {
	case err != nil || found < 1:
		return document.Errorf(document.InvalidRequest, "the file %s is damaged (it should hold the number %d): put it right, or use another folder", filepath.Join(path, formatFile), Format).Do(document.DoStateChoose)
	case found > Format:
		return document.Errorf(document.VersionMismatch, "the state in %s was written by a newer freshet (format %d, this one knows up to %d): run that version, or use another folder", path, found, Format).Do(document.DoStateChoose)
	}
	return nil
}

// early are the files that may be there before the folder is a state folder.
var early = []string{instance.LockFile, instance.StartFile, instance.LogFile, instance.ConfigFile}

// checkEmpty keeps freshet from moving into a folder that holds other things,
// such as a mistyped home folder.
func checkEmpty(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return unusable(path, err)
	}
	foreign := slices.IndexFunc(entries, func(e fs.DirEntry) bool {
		return !slices.Contains(early, e.Name()) && !strings.HasPrefix(e.Name(), Temporary)
	})
	if foreign >= 0 {
		return document.Errorf(document.InvalidRequest, "%s is no state folder of freshet and not empty (it holds %s): name a new or empty folder", path, entries[foreign].Name()).Do(document.DoStateChoose)
	}
	return nil
}

func unusable(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return document.Errorf(document.Forbidden, "no permission to keep the state in %s: change its owner or mode, or name another folder", path).Do(document.DoStateChoose)
	case errors.Is(err, errNotDirectory):
		return document.Errorf(document.InvalidRequest, "the state cannot be kept in %s, which is no folder: name another", path).Do(document.DoStateChoose)
	}
	return document.Errorf(document.Unavailable, "the state cannot be kept in %s: %w", path, err)
}

func occupied(path string) error {
	where := "already runs"
	if i, err := instance.Read(path); err == nil {
		where = "already runs there (pid " + strconv.Itoa(i.PID) + ", " + bus.HideUser(i.URL) + ")"
	}
	return document.Errorf(document.Conflict, "the state in %s is in use, freshet %s: add a folder to the running one, or start another", path, where).
		With(document.Action{Do: document.DoStateAdd, Path: document.EncodePath(path)}, document.Action{Do: document.DoStateChoose})
}

// Used returns when the state in a folder was opened last. The error is that of a
// folder that is none.
func Used(path string) (time.Time, error) {
	info, err := os.Stat(filepath.Join(path, formatFile))
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// openEvery is the time between looks at a folder that another process has.
const openEvery = 50 * time.Millisecond

// Await is Open that waits until the process that owns the folder gives it back, or
// ctx ends. waiting is called once where it has to.
func Await(ctx context.Context, path string, waiting func()) (*Folder, error) {
	tick := time.NewTicker(openEvery)
	defer tick.Stop()
	for first := true; ; first = false {
		f, err := open(path, 0)
		if document.KindOf(err) != document.Conflict {
			return f, err
		}
		if first {
			waiting()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
