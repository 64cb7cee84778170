package logcheck

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
)

// stream is one stream of the log.
type stream struct {
	dir, name string
	files     []file // its blocks, sorted
	missing   []int  // blocks that the index has and the disk has not
	settings  settings
	index     *index // nil where it is not whole
	current   bool   // the index is the stream's at its end
	uneven    bool   // the server has met damage before it stopped
	opaque    bool   // blocks are compressed: nothing can be said of it
	top       uint64 // the highest sequence that is known

	newest map[string]uint64
	drop   map[string]bool
}

// file is a block of the stream.
type file struct {
	block.File
	gaps []block.Gap
}

// sum hashes the records of a block.
func (f file) sum(stream string) block.Sum { return block.SumOf(stream, f.Number) }

// indexFile is where the server keeps what it knows of the stream.
func (s *stream) indexFile() string { return filepath.Join(block.Messages(s.dir), "index.db") }

// damaged reports whether something is not whole.
func (s *stream) damaged() bool {
	return !s.opaque && (len(s.missing) > 0 || !s.settings.whole || s.uneven ||
		slices.ContainsFunc(s.files, func(f file) bool { return len(f.gaps) > 0 }))
}

// inspect reads a whole stream.
func inspect(dir string, clean bool) (*stream, error) {
	name := filepath.Base(dir)
	s := &stream{dir: dir, name: name, settings: settingsOf(name, dir), newest: map[string]uint64{}, drop: map[string]bool{}}
	if err := s.settings.read(); err != nil {
		return nil, err
	}
	if err := s.listFiles(); err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(s.indexFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the index of %s: %w", s.name, err)
	}
	s.index = readIndex(raw, block.Keyed(s.name))
	var end [block.SumBytes]byte // of the last block
	whole := map[int]uint64{}
	for i := range s.files {
		f := &s.files[i]
		buf, err := f.load(s.name)
		if err != nil {
			return nil, err
		}
		end = [block.SumBytes]byte{}
		if block.Compressed(buf) {
			s.opaque = true
			continue
		}
		f.gaps = block.Scan(buf, f.sum(s.name), func(r block.Record) {
			s.top = max(s.top, r.Seq)
			whole[f.Number] = max(whole[f.Number], r.Seq)
			copy(end[:], buf[r.At+r.Size-block.SumBytes:])
		})
	}
	s.judge(clean, end, whole)
	return s, nil
}

// judge decides whether the index speaks of what is there, and what is damage.
// end is the checksum of the last record, and whole holds the highest sequence
// of each block.
func (s *stream) judge(clean bool, end [block.SumBytes]byte, whole map[int]uint64) {
	var last file
	if n := len(s.files); n > 0 {
		f := &s.files[n-1]
		last = *f
		if n := len(f.gaps); !clean && n > 0 && !s.knows(f.Number, whole[f.Number]) && s.endsIn(*f) {
			f.gaps = f.gaps[:n-1] // it was being written when the process ended
		}
	}
	x := s.index
	if x == nil || x.last < s.top {
		return
	}
	if len(s.files) > 0 && last.Number == x.newest && len(last.gaps) == 0 {
		s.current = bytes.Equal(end[:], x.sum[:])
	} else {
		s.current = clean // as far as can be seen
	}
	if !s.current {
		return
	}
	s.top = x.last
	s.uneven = !x.even()
	for _, number := range slices.Sorted(maps.Keys(x.blocks)) {
		known := slices.ContainsFunc(s.files, func(f file) bool { return f.Number == number })
		if !known && x.blocks[number].count() > 0 {
			s.missing = append(s.missing, number)
		}
	}
}

// knows reports whether the index, of whatever time, has messages of a block
// behind a sequence.
func (s *stream) knows(number int, seq uint64) bool {
	if s.index == nil {
		return false
	}
	b, ok := s.index.blocks[number]
	return ok && b.count() > 0 && b.last > seq
}

// endsIn reports whether a block ends in a gap.
func (s *stream) endsIn(f file) bool {
	info, err := os.Stat(f.Path)
	g := f.gaps[len(f.gaps)-1]
	return err == nil && int64(g.At+g.Size) == info.Size()
}

func (s *stream) listFiles() error {
	files, err := block.Files(s.dir)
	for _, f := range files {
		s.files = append(s.files, file{File: f})
	}
	return err
}

// read calls each for every whole record, block by block.
func (s *stream) read(each func(file, block.Record)) error {
	for _, f := range s.files {
		buf, err := f.load(s.name)
		if err != nil {
			return err
		}
		block.Scan(buf, f.sum(s.name), func(r block.Record) { each(f, r) })
	}
	return nil
}

func (f file) load(stream string) ([]byte, error) {
	buf, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, fmt.Errorf("read a block of %s: %w", stream, err)
	}
	return buf, nil
}
