package segment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Open opens the store in dir or creates it. every is the time between
// snapshots while there are changes; with 0 they are taken by Snapshot and
// Close alone. room, which may be nil, is asked before a snapshot whether so many
// bytes may be written; after its error the next one tries again. Close does not
// ask: what is not written then has to be read from the log again. A store that is open already is a document.Conflict, one of a
// newer format a document.VersionMismatch, one of another kind or with other
// dims a document.IdentityMismatch; all three leave it as it is. A damaged one
// is replaced by an empty one without a mark; see Recovered.
func Open[E, P any](dir string, layout Layout[E, P], every time.Duration, room func(bytes int64) error) (*Set[E, P], error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the folder of the store: %w", err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	s := &Set[E, P]{
		layout: layout, dir: dir, lock: lock, room: room,
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	s.life, s.end = context.WithCancel(context.Background())
	if err := s.load(); err != nil {
		s.end()
		return nil, errors.Join(err, lock.release())
	}
	s.publish()
	s.wakeUp()
	go s.maintain(every)
	return s, nil
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
	s.mark, s.nextFile, s.parts = store.Mark{}, 0, nil
	if err := removeOthers(s.dir, nil); err != nil {
		return err
	}
	return s.write(nil, s.mark)
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
	s.mark, s.nextFile = store.Mark{ID: m.ID, Position: m.Position}, m.NextFile
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
