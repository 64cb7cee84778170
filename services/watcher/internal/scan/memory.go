package scan

import (
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/shrink"
)

// Memory remembers files whose content was found to be what is known although
// their times say otherwise (touched, restored, given another mode, or written
// close to the last publish), so that every rescan does not read them again.
// It lives as long as the process. The zero Memory is empty and ready; it is
// safe for concurrent use.
type Memory struct {
	mu   sync.Mutex
	seen shrink.Map[document.Path, verified]
}

// verified is a file as it was read, with times in nanoseconds.
type verified struct {
	size              int64
	modified, changed int64
	inode             uint64
	version           document.Version
	settled           bool // its times can be relied on
}

func verifiedOf(f Finding, version document.Version) verified {
	return verified{f.Size, f.Modified.UnixNano(), f.Changed.UnixNano(), f.Inode, version, true}
}

// note says that the file f, which somebody began to read at a time, holds the
// content of a version.
func (m *Memory) note(f Finding, read time.Time, version document.Version) {
	v := verifiedOf(f, version)
	// Of a file that is too young for its times to say anything the inode counts
	// all the same: the log may know another one, of a file that was replaced by
	// one of the same content.
	v.settled = !settled(f.Changed, read).IsZero()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen.Set(f.Path, v)
}

// Forget drops what is known of a file that has gone.
func (m *Memory) Forget(p document.Path) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen.Delete(p)
}

// holds reports whether the file still is what it was when its content was
// found to be that of the version.
func (m *Memory) holds(f Finding, version document.Version) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.seen.Get(f.Path)
	return ok && v == verifiedOf(f, version)
}

// Inodes returns the paths that had one of some inodes.
func (m *Memory) Inodes(of map[uint64]bool) []document.Path {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []document.Path
	for p, v := range m.seen.All() {
		if of[v.inode] {
			out = append(out, p)
		}
	}
	return out
}
