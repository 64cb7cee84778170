package scan

import (
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Memory remembers files whose content was found to be what is known although
// their times say otherwise (touched, restored, or written close to the last
// publish), so that every rescan does not read them again. It lives as long
// as the process. The zero Memory is empty and ready; it is safe for
// concurrent use.
type Memory struct {
	mu   sync.Mutex
	seen map[document.Path]verified
}

type verified struct {
	size     int64
	modified time.Time
	inode    uint64
	version  document.Version
	at       time.Time
}

// note says that the file f was just found to hold the content of a version.
func (m *Memory) note(f Finding, version document.Version) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil {
		m.seen = map[document.Path]verified{}
	}
	m.seen[f.Path] = verified{f.Size, f.Modified, f.Inode, version, time.Now()}
}

// holds reports whether the file still is what it was when its content was
// found to be that of the version.
func (m *Memory) holds(f Finding, version document.Version) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.seen[f.Path]
	return ok && v.version == version && v.size == f.Size && v.inode == f.Inode &&
		v.modified.Equal(f.Modified) && f.Modified.Before(v.at.Add(-racy))
}
