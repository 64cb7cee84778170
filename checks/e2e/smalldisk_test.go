//go:build prove

package e2e

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/pkg/disk"
)

// smallDisk is a disk that a test can fill without anybody else noticing.
type smallDisk struct {
	t    *testing.T
	dir  string
	kind string
	// space is what freshet asks for the free space; nil asks the system.
	space func(string) (disk.Space, error)
	// leave fills the disk until so many bytes are free; 0 makes every write to
	// it fail. A negative number empties it again.
	leave func(free int64)
}

func (d *smallDisk) free() int64 {
	d.t.Helper()
	space := d.space
	if space == nil {
		space = disk.SpaceOf
	}
	s, err := space(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	return s.Free
}

// ballast is the file that fills a real disk.
const ballast = "ballast"

// leaveReal is leave for a file system of its own.
func (d *smallDisk) leaveReal(free int64) {
	d.t.Helper()
	file := filepath.Join(d.dir, ballast)
	if free < 0 {
		if err := os.Remove(file); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	block := make([]byte, 64<<10)
	_, _ = rand.Read(block)
	for left := d.free(); free == 0 || left > free; left = d.free() {
		if _, err := f.Write(block[:max(1, min(int64(len(block)), left-free))]); err != nil {
			if free > 0 {
				d.t.Fatal(err)
			}
			return // full to the last byte
		}
	}
}
