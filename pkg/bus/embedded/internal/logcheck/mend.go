package logcheck

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
)

// live is what a stream holds.
type live struct {
	seqs   map[uint64]bool
	counts map[string]uint64 // messages by subject
	older  map[string]bool   // subjects of which only older messages are whole
}

func (l live) holds(r block.Record) bool { return l.seqs[r.Seq] }

// scan finds the messages that are whole and that nothing has replaced or
// deleted.
func (s *stream) scan() (live, error) {
	newest, deleted := map[string]uint64{}, map[uint64]bool{}
	l := live{seqs: map[uint64]bool{}, counts: map[string]uint64{}, older: map[string]bool{}}
	for subject := range s.guess() {
		l.older[subject] = true // its older messages would come back
	}
	subjects := map[uint64]string{}
	err := s.read(func(f file, r block.Record) {
		switch {
		case r.Tomb:
			deleted[r.Seq] = true
		case r.Message() && (!s.current || s.index.has(f.Number, r)):
			subjects[r.Seq] = r.Subject
			newest[r.Subject] = max(newest[r.Subject], r.Seq)
			if !s.current && s.forgot(f.Number, r) {
				deleted[r.Seq] = true
			}
		}
	})
	if err != nil {
		return live{}, err
	}
	for seq, subject := range subjects {
		switch {
		case deleted[seq], s.drop[subject], s.settings.limit == 1 && seq < newest[subject]:
		case seq < s.newest[subject], l.older[subject] && !s.current && s.settings.limit == 1:
			l.older[subject] = true
		default:
			l.seqs[seq] = true
			l.counts[subject]++
		}
	}
	return l, nil
}

// has reports whether a message of a block was there when the index was
// written. The checksum of one without headers does not cover where its subject
// ends.
func (x *index) has(number int, r block.Record) bool {
	b, ok := x.blocks[number]
	return ok && b.has(r.Seq) && (r.Headers != nil || x.subjects[r.Subject] > 0)
}

// guess returns the subjects that stand in damaged places and look whole.
func (s *stream) guess() map[string]bool {
	out := map[string]bool{}
	for _, f := range s.files {
		if len(f.gaps) == 0 {
			continue
		}
		buf, err := f.load(s.name)
		if err != nil {
			continue // told where it is read for its messages
		}
		for _, g := range f.gaps {
			subject, ok := block.Guess(buf, g)
			if !ok {
				continue
			}
			plain := !strings.ContainsFunc(subject, func(r rune) bool { return r <= ' ' || r > '~' })
			if plain && strings.Contains(subject, ".") {
				out[subject] = true
			}
		}
	}
	return out
}

// finding says what is wrong, and what of it cannot be kept.
func (s *stream) finding() (Finding, error) {
	l, err := s.scan()
	if err != nil {
		return Finding{}, err
	}
	f := Finding{Stream: s.name, Damage: s.describe(), Lost: s.lost(l), Unsure: !s.current && s.damaged()}
	return f, nil
}

// mend writes every block again with what is live in it.
func (s *stream) mend() error {
	l, err := s.scan()
	if err != nil {
		return err
	}
	end := uint64(0)
	for _, f := range s.files {
		newest, err := s.rewrite(f, l)
		if err != nil {
			return err
		}
		end = max(end, newest)
	}
	if end < s.top {
		if err := s.keepTop(); err != nil {
			return err
		}
	}
	// What the server knew is no longer so; it reads the blocks.
	if err := os.Remove(s.indexFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the index: %w", err)
	}
	if !s.settings.whole {
		if err := s.settings.restore(); err != nil {
			return err
		}
	}
	// Its consumers may stand behind what is gone.
	if err := os.RemoveAll(filepath.Join(s.dir, "obs")); err != nil {
		return fmt.Errorf("remove the consumers: %w", err)
	}
	return nil
}

// keepTop writes a block that keeps the stream's last sequence. In a block with
// messages the server would not count it.
func (s *stream) keepTop() error {
	number := 1
	if n := len(s.files); n > 0 {
		number = s.files[n-1].Number + 1
	}
	if s.index != nil {
		number = max(number, s.index.newest+1)
	}
	dir := block.Messages(s.dir)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("make the folder of the blocks: %w", err)
	}
	return block.Replace(filepath.Join(dir, block.Name(number)), block.Tombstone(s.top, time.Now().UnixNano(), block.SumOf(s.name, number)))
}

// lost returns the subjects that have lost messages.
func (s *stream) lost(l live) []string {
	lost := maps.Clone(l.older)
	for subject := range s.drop {
		lost[subject] = true
	}
	if s.settings.bare {
		for subject := range l.counts {
			lost[subject] = true
		}
	}
	for subject, seq := range s.newest {
		if l.counts[subject] == 0 && seq > 0 {
			lost[subject] = true
		}
	}
	if s.current {
		// What was guessed is known.
		maps.DeleteFunc(lost, func(subject string, _ bool) bool { return !s.drop[subject] })
		for subject, n := range s.index.subjects {
			if l.counts[subject] < n || s.settings.bare {
				lost[subject] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(lost))
}

// describe names the damaged places.
func (s *stream) describe() []string {
	var out []string
	for _, f := range s.files {
		for _, g := range f.gaps {
			out = append(out, fmt.Sprintf("%d bytes at %d of block %d", g.Size, g.At, f.Number))
		}
	}
	for _, number := range s.missing {
		out = append(out, fmt.Sprintf("block %d is missing", number))
	}
	if !s.settings.whole {
		out = append(out, "the settings")
	}
	if s.uneven {
		out = append(out, "messages that the server found damaged while it ran")
	}
	return out
}

// rewrite keeps of a block what is live, and the tombstones, and returns the
// highest sequence of its messages.
func (s *stream) rewrite(f file, l live) (newest uint64, err error) {
	buf, err := f.load(s.name)
	if err != nil {
		return 0, err
	}
	out := make([]byte, 0, len(buf))
	block.Scan(buf, f.sum(s.name), func(r block.Record) {
		if r.Tomb || r.Message() && l.holds(r) {
			out = append(out, buf[r.At:r.At+r.Size]...)
		}
		if r.Message() && l.holds(r) {
			newest = r.Seq
		}
	})
	if len(out) == 0 {
		if err := os.Remove(f.Path); err != nil {
			return 0, fmt.Errorf("remove a block: %w", err)
		}
		return 0, nil
	}
	return newest, block.Replace(f.Path, out)
}
