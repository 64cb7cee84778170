package logcheck

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
)

// Claim is what a server says that it has of a stream: every sequence from First
// to Last that is not in Deleted.
type Claim struct {
	First, Last uint64
	Deleted     []uint64 // ascending; some may stand before First, after a kill
}

// missing returns the blocks that are gone since the last look although the
// server says that it has what was in them. It removes blocks itself, of which
// it needs nothing any more.
func (w *Watch) missing(ctx context.Context, s *stream, claimed func(context.Context, string) (Claim, error)) ([]int, error) {
	now := s.numbers()
	gone := slices.DeleteFunc(slices.Clone(w.blocks[s.name]), func(number int) bool { return slices.Contains(now, number) })
	if len(gone) > 0 {
		lacks, err := s.lacks(ctx, claimed)
		if err != nil {
			return nil, err
		}
		if lacks {
			return gone, nil
		}
	}
	w.blocks[s.name] = now
	return nil, nil
}

// lacks reports whether there is a message that the server has and no block, at
// every look: what it is writing comes to its place.
func (s *stream) lacks(ctx context.Context, claimed func(context.Context, string) (Claim, error)) (bool, error) {
	var lack map[uint64]bool
	for n := range looks {
		c, err := claimed(ctx, s.name)
		if err != nil {
			return false, err
		}
		there, err := s.sequences()
		if err != nil || there == nil {
			return false, err
		}
		now := map[uint64]bool{}
		for seq := range c.all {
			if !there[seq] && (n == 0 || lack[seq]) {
				now[seq] = true
			}
		}
		if lack = now; len(lack) == 0 {
			return false, nil
		}
		select {
		case <-time.After(lookPause):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	return true, nil
}

// all yields the sequences that are claimed.
func (c Claim) all(yield func(uint64) bool) {
	deleted := c.Deleted
	for seq := c.First; seq <= c.Last; seq++ {
		for len(deleted) > 0 && deleted[0] < seq {
			deleted = deleted[1:]
		}
		if len(deleted) > 0 && deleted[0] == seq {
			continue
		}
		if !yield(seq) {
			return
		}
	}
}

// sequences are those of the messages in the blocks that are there now; nil
// where they cannot be read here.
func (s *stream) sequences() (map[uint64]bool, error) {
	files, err := block.Files(s.dir)
	if err != nil {
		return nil, err
	}
	out := map[uint64]bool{}
	for _, f := range files {
		f := file{File: f}
		buf, err := f.load(s.name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || block.Compressed(buf) {
			return nil, err
		}
		block.Scan(buf, f.sum(s.name), func(r block.Record) {
			if r.Message() {
				out[r.Seq] = true
			}
		})
	}
	return out, nil
}

// numbers are those of the blocks that are listed.
func (s *stream) numbers() []int {
	out := make([]int, len(s.files))
	for i, f := range s.files {
		out[i] = f.Number
	}
	return out
}
