package logcheck

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
)

// A place counts as damaged when it is the same at each of so many looks, so
// long apart: what the server is writing is not.
const (
	looks     = 4
	lookPause = 500 * time.Millisecond
)

// Watch looks at the log of a server that runs. It belongs to one goroutine at
// a time.
type Watch struct {
	dir    string
	blocks map[string][]int // of each stream, at the last look
}

// NewWatch notes which blocks the log in dir has. The server is down.
func NewWatch(dir string) (*Watch, error) {
	folders, err := block.Streams(dir)
	if err != nil {
		return nil, err
	}
	w := &Watch{dir: dir, blocks: map[string][]int{}}
	for _, folder := range folders {
		s := &stream{dir: folder, name: filepath.Base(folder)}
		if err := s.listFiles(); err != nil {
			return nil, err
		}
		w.blocks[s.name] = s.numbers()
	}
	return w, nil
}

// Look reads every record of the log, changes nothing, and returns the streams
// in which something is damaged. Lost and Unsure are not known then. claimed
// asks the server what it has of a stream.
func (w *Watch) Look(ctx context.Context, claimed func(ctx context.Context, stream string) (Claim, error)) ([]Finding, error) {
	folders, err := block.Streams(w.dir)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, folder := range folders {
		s := &stream{dir: folder, name: filepath.Base(folder), settings: settings{whole: true}}
		if err := s.listFiles(); err != nil {
			return nil, err
		}
		for i := range s.files {
			if s.files[i].gaps, err = s.lasting(ctx, s.files[i]); err != nil {
				return nil, err
			}
		}
		if s.missing, err = w.missing(ctx, s, claimed); err != nil {
			return nil, err
		}
		if s.damaged() {
			out = append(out, Finding{Stream: s.name, Damage: s.describe()})
		}
	}
	return out, nil
}

// lasting returns the gaps of a block that are the same at every look.
func (s *stream) lasting(ctx context.Context, f file) (gaps []block.Gap, err error) {
	for n := range looks {
		buf, err := f.load(s.name)
		if errors.Is(err, fs.ErrNotExist) || block.Compressed(buf) {
			return nil, nil // all that was in it is gone; or it cannot be read here
		}
		if err != nil {
			return nil, err
		}
		now := block.Scan(buf, f.sum(s.name), func(block.Record) {})
		if n > 0 {
			now = slices.DeleteFunc(now, func(g block.Gap) bool { return !slices.Contains(gaps, g) })
		}
		if gaps = now; len(gaps) == 0 {
			return nil, nil
		}
		select {
		case <-time.After(lookPause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return gaps, nil
}
