package segment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Open opens the store in dir or creates it. every is the time between
// snapshots while there are changes; with 0 they are taken by Snapshot and
// Close alone. A store that is open already is a document.Conflict, one of a
// newer format a document.VersionMismatch, one of another kind or with other
// dims a document.IdentityMismatch; all three leave it as it is. A damaged one
// is replaced by an empty one with a new identity; see Recovered.
func Open[E, P any](dir string, layout Layout[E, P], every time.Duration) (*Set[E, P], error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the folder of the store: %w", err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	s := &Set[E, P]{
		layout: layout, dir: dir, lock: lock,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	if err := s.load(); err != nil {
		return nil, errors.Join(err, lock.release())
	}
	s.publish()
	go s.maintain(every)
	return s, nil
}

// maintain is the set's goroutine.
func (s *Set[E, P]) maintain(every time.Duration) {
	defer close(s.done)
	var ticks <-chan time.Time
	if every > 0 {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for {
		select {
		case <-s.stop:
			return
		case <-s.wake:
			s.mergeLarge()
		case <-ticks:
			s.save()
		}
	}
}

// damage wraps what is wrong with the files of a snapshot, as opposed to
// trouble with reading them.
type damage struct{ error }

// load reads the last snapshot, or begins an empty store.
func (s *Set[E, P]) load() error {
	err := s.read()
	var d damage
	switch {
	case err == nil:
		return s.clean()
	case errors.As(err, &d):
		s.recovered = fmt.Sprintf("the snapshot in %s could not be used and an empty store was begun: %s", s.dir, d.error)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	s.id, s.position, s.nextFile, s.parts = uuid.NewString(), 0, 0, nil
	if err := removeOthers(s.dir, nil); err != nil {
		return err
	}
	return s.write(nil, 0)
}

func (s *Set[E, P]) read() error {
	data, err := os.ReadFile(filepath.Join(s.dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		// The manifest is written before any segment.
		if files, _ := filepath.Glob(filepath.Join(s.dir, "*"+segmentSuffix)); len(files) > 0 {
			return damage{fmt.Errorf("%s is missing", manifestName)}
		}
	}
	if err != nil {
		return fmt.Errorf("read the manifest: %w", err)
	}
	m, err := decodeManifest(data)
	if document.KindOf(err) == document.VersionMismatch {
		return err
	}
	if err != nil {
		return damage{err}
	}
	if m.Kind != s.layout.Kind {
		return document.Errorf(document.IdentityMismatch, "the folder %s holds a %s store and not a %s store: use another folder, or delete it", s.dir, m.Kind, s.layout.Kind)
	}
	if m.Dims != s.layout.Dims {
		return document.Errorf(document.IdentityMismatch, "the vectors of the store in %s have %d dimensions and not %d: use the embedder that it was built with, or another folder", s.dir, m.Dims, s.layout.Dims)
	}
	s.id, s.position, s.nextFile = m.ID, m.Position, m.NextFile
	for _, e := range m.Segments {
		part, err := s.readPart(e)
		if err != nil {
			return err
		}
		s.parts = append(s.parts, part)
	}
	return nil
}

func (s *Set[E, P]) readPart(e manifestEntry) (*Part[P], error) {
	blob, err := os.ReadFile(filepath.Join(s.dir, filepath.Base(e.File)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, damage{fmt.Errorf("%s is missing", e.File)}
	}
	if err != nil {
		return nil, fmt.Errorf("read a segment: %w", err)
	}
	if int64(len(blob)) != e.Size || checksum(blob) != e.CRC {
		return nil, damage{fmt.Errorf("the checksum of %s is wrong", e.File)}
	}
	seg, err := s.layout.loadSegment(blob)
	if err == nil && seg.Rows.Len() != e.Rows {
		err = errRows
	}
	if err != nil {
		return nil, damage{fmt.Errorf("%s: %w", e.File, err)}
	}
	dead, err := decodeBits(e.Dead, e.Rows)
	if err != nil {
		return nil, damage{fmt.Errorf("%s: %w", e.File, err)}
	}
	seg.file, seg.sum = e.File, e.CRC
	return s.layout.part(seg, dead), nil
}

// clean deletes what the snapshot does not name.
func (s *Set[E, P]) clean() error {
	keep := map[string]bool{manifestName: true}
	for _, p := range s.parts {
		keep[p.file] = true
	}
	return removeOthers(s.dir, keep)
}

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
	defer func() { s.saveErr.Store(&err) }()
	err = s.seal()
	if err == nil {
		err = s.mergeSmall(2) // fewer files
	}
	// Parts and position are taken together: the position on disk never runs
	// ahead of the content.
	parts, position, changes := slices.Clone(s.parts), s.position, s.changes
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if err = s.write(parts, position); err != nil {
		return err
	}
	s.saved = changes
	return nil
}

// write stores the segments that have no file yet, then the manifest, and
// removes what became needless.
func (s *Set[E, P]) write(parts []*Part[P], position uint64) error {
	m := manifest{Kind: s.layout.Kind, Dims: s.layout.Dims, ID: s.id, Position: position}
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

// Close takes a last snapshot and releases the folder. Closing again is nil.
func (s *Set[E, P]) Close() error {
	if !s.shut("closed: open it again") {
		return nil
	}
	err := s.save()
	return errors.Join(err, s.lock.release())
}

// Drop deletes the store with its folder.
func (s *Set[E, P]) Drop(ctx context.Context) error {
	s.mu.Lock()
	err := s.open(ctx)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if !s.shut("dropped: open it anew") {
		return nil
	}
	s.saving.Lock() // a Snapshot under way must not write behind the removal
	defer s.saving.Unlock()
	s.dropped = true
	err = os.RemoveAll(s.dir)
	if err != nil {
		err = fmt.Errorf("drop the store: %w", err)
	}
	return errors.Join(err, s.lock.release())
}

// shut refuses further calls and waits for the goroutine; false when that was
// done before.
func (s *Set[E, P]) shut(why string) bool {
	s.mu.Lock()
	if s.closed != nil {
		s.mu.Unlock()
		return false
	}
	s.closed = document.Errorf(document.Unavailable, "the %s store in %s is %s", s.layout.Kind, s.dir, why)
	s.view.Store(nil)
	s.mu.Unlock()
	close(s.stop)
	<-s.done
	return true
}
