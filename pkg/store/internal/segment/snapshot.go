package segment

import (
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/store"
)

// Snapshot writes what changed since the last one. It holds up neither
// searches nor, but for a moment, writes.
func (s *Set[E, P]) Snapshot(ctx context.Context) error {
	s.mu.Lock()
	err := s.open(ctx)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.save()
}

// SnapshotErr is the error of the last snapshot or merge, nil after a
// snapshot that succeeded. The store works on in memory meanwhile.
func (s *Set[E, P]) SnapshotErr() error {
	if err := s.saveErr.Load(); err != nil {
		return *err
	}
	return nil
}

func (s *Set[E, P]) save() (err error) {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.Lock()
	if s.dropped {
		s.mu.Unlock()
		return s.closed // the folder may be another store's by now
	}
	if s.changes == s.saved {
		s.mu.Unlock()
		return nil
	}
	closing := s.closed != nil
	defer func() { s.saveErr.Store(&err) }()
	err = s.seal()
	if err == nil {
		err = s.mergeSmall(2) // fewer files
	}
	// Parts and mark are taken together: the position on disk never runs
	// ahead of the content.
	parts, mark, changes := slices.Clone(s.parts), s.mark, s.changes
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if size := unwritten(parts); s.room != nil && size > 0 && !closing {
		if err = s.room(size); err != nil {
			return err
		}
	}
	if err = s.write(parts, mark); err != nil {
		return err
	}
	s.saved = changes
	return nil
}

// unwritten counts the bytes of the segments that have no file yet.
func unwritten[P any](parts []*Part[P]) (size int64) {
	for _, p := range parts {
		if p.file == "" {
			size += int64(len(p.blob))
		}
	}
	return size
}

// write stores the segments that have no file yet, then the manifest, and
// removes what became needless.
func (s *Set[E, P]) write(parts []*Part[P], mark store.Mark) error {
	m := manifest{Kind: s.layout.Kind, Dims: s.layout.Dims, ID: mark.ID, Position: mark.Position}
	keep := map[string]bool{manifestName: true}
	for _, p := range parts {
		if p.file == "" {
			name := segmentName(s.nextFile)
			if err := writeFile(s.dir, name, p.blob); err != nil {
				return err
			}
			s.nextFile++
			p.file, p.sum = name, checksum(p.blob)
		}
		keep[p.file] = true
		m.Segments = append(m.Segments, manifestEntry{
			File: p.file, Size: int64(len(p.blob)), CRC: p.sum, Rows: p.Rows.Len(), Dead: p.Dead.encode(),
		})
	}
	m.NextFile = s.nextFile
	data, err := m.encode()
	if err != nil {
		return err
	}
	// The segments' names must be durable before the manifest that uses them.
	if err := syncDir(s.dir); err != nil {
		return err
	}
	if err := writeFile(s.dir, manifestName, data); err != nil {
		return err
	}
	if err := syncDir(s.dir); err != nil {
		return err
	}
	return removeOthers(s.dir, keep)
}
