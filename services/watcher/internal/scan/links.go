package scan

import (
	"os"
	"path/filepath"
	"sync"
)

// ID tells one file from every other, whatever names it has.
type ID struct {
	Device, Inode uint64
}

// Links knows the names of the files in a source that have several: no event
// tells of a change through another name. The zero Links is empty and ready;
// it is safe for concurrent use, and a nil one stays empty.
type Links struct {
	mu    sync.Mutex
	names map[ID]map[string]bool // raw paths
	ids   map[string]ID
	// sought are the files whose names were looked for where no look at them
	// had told yet that there are several.
	sought map[ID]bool
	counts map[ID]Count
}

// Count is how many names a file has.
type Count struct {
	// Links is what the last look at one of them told.
	Links uint64
	// Elsewhere is how many of them were found nowhere in any source.
	Elsewhere uint64
}

// note says what a look found at a path: a file with some names, or, with less
// than two, nothing of interest. It returns the file that the path named before,
// zero where that is the same or had no other name: it may have been changed
// through the path until that named another one.
func (l *Links) note(raw string, id ID, links uint64) (former ID) {
	if l == nil {
		return ID{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if old, known := l.ids[raw]; known && (links < 2 || old != id) {
		l.dropLocked(raw, old)
		if old != id {
			former = old
		}
	}
	if links < 2 {
		return former
	}
	if l.names == nil {
		l.names, l.ids, l.sought, l.counts = map[ID]map[string]bool{}, map[string]ID{}, map[ID]bool{}, map[ID]Count{}
	}
	if l.names[id] == nil {
		l.names[id] = map[string]bool{}
	}
	l.names[id][raw], l.ids[raw] = true, id
	l.counts[id] = Count{links, l.counts[id].Elsewhere}
	return former
}

func (l *Links) dropLocked(raw string, id ID) {
	delete(l.ids, raw)
	if delete(l.names[id], raw); len(l.names[id]) == 0 {
		delete(l.names, id)
		delete(l.sought, id)
		delete(l.counts, id)
	}
}

// Count returns what is known of the number of a file's names, zero where no
// name is.
func (l *Links) Count(id ID) Count {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counts[id]
}

// SetElsewhere says how many names of a file were found in no source.
func (l *Links) SetElsewhere(id ID, n uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, known := l.counts[id]; known {
		l.counts[id] = Count{c.Links, n}
	}
}

// Of returns the names of a file that are known, relative to the root.
func (l *Links) Of(id ID) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for raw := range l.names[id] {
		out = append(out, raw)
	}
	return out
}

// Seek returns those of some files whose further names nobody has looked for
// yet, and counts on the caller to do that.
func (l *Links) Seek(ids []ID) []ID {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []ID
	for _, id := range ids {
		if l.names[id] != nil && !l.sought[id] {
			l.sought[id] = true
			out = append(out, id)
		}
	}
	return out
}

// Look notes what a path below a root names now. It returns the file that it
// named before, as far as others are known to name that.
func (l *Links) Look(root, raw string) (former ID) {
	var f Finding
	if info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(raw))); err == nil && info.Mode().IsRegular() {
		f.stat(info)
	}
	return l.note(raw, f.ID, f.Links)
}
