//go:build prove

package e2e

import (
	"io/fs"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/disk"
)

// injectedLimit is the size beyond which no file can grow while an injected
// disk is full: less than what the log's files have at once.
const injectedLimit = 1 << 10

// injectedDisk is a folder of which freshet is told that it is on a disk of
// that size. What fills it besides is a number. When it is full to the last
// byte, the process' limit on the size of files makes the writes fail.
func injectedDisk(t *testing.T, size int64) *smallDisk {
	t.Helper()
	var taken atomic.Int64
	d := &smallDisk{t: t, dir: t.TempDir(), kind: "injected"}
	d.space = func(string) (disk.Space, error) {
		return disk.Space{Free: max(0, size-taken.Load()-used(d.dir)), Total: size}, nil
	}
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limit := func(n uint64) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: before.Max}); err != nil {
			t.Fatal(err)
		}
	}
	signal.Ignore(syscall.SIGXFSZ)
	t.Cleanup(func() {
		limit(before.Cur)
		signal.Reset(syscall.SIGXFSZ)
	})
	d.leave = func(free int64) {
		switch {
		case free < 0:
			taken.Store(0)
			limit(before.Cur)
		case free == 0:
			taken.Store(size)
			limit(injectedLimit)
		default:
			taken.Store(max(0, size-free-used(d.dir)))
		}
	}
	return d
}

// used counts the bytes of the files below a folder, which others write and
// remove meanwhile.
func used(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if info, gone := e.Info(); gone == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}
