package logcheck

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
)

// Bury keeps what was deleted from coming back, and returns how much that was.
// A message that a newer one replaces is deleted in the memory of the server
// alone; where the newer one was deleted since, and the server was killed, the
// next one finds the older in its block and takes it for the last of its
// subject. Where the block of the newer one was written anew, nothing in the stream
// tells: gone says whether a message of a stream was deleted. It is for a Log that was
// not opened as clean; streams that Mend changes are left to Mend.
func (l *Log) Bury(gone func(stream string, m Message) bool) (messages int, err error) {
	for _, name := range slices.Sorted(maps.Keys(l.streams)) {
		s := l.streams[name]
		if s.opaque || s.current || s.damaged() || len(s.drop) > 0 || len(s.files) == 0 {
			continue
		}
		n, err := s.bury(gone)
		if err != nil {
			return messages, fmt.Errorf("bury what was deleted from the stream %s: %w", name, err)
		}
		messages += n
	}
	return messages, nil
}

// bury writes for each message that would come back what the server writes for
// one that it deletes.
func (s *stream) bury(gone func(stream string, m Message) bool) (int, error) {
	back, err := s.returning(gone)
	if err != nil || len(back) == 0 {
		return 0, err
	}
	last := s.files[len(s.files)-1]
	buf, err := last.load(s.name)
	if err != nil {
		return 0, err
	}
	sum, end := last.sum(s.name), 0
	block.Scan(buf, sum, func(r block.Record) { end = r.At + r.Size })
	out := slices.Clone(buf[:end]) // without what was being written when the process ended
	for _, seq := range back {
		out = append(out, block.Tombstone(seq, time.Now().UnixNano(), sum)...)
	}
	return len(back), block.Replace(last.Path, out)
}

// returning lists the messages that are deleted and that the server would take
// for undeleted, in rising order.
func (s *stream) returning(gone func(stream string, m Message) bool) ([]uint64, error) {
	all, deleted, newest := map[uint64]written{}, map[uint64]bool{}, map[string]uint64{}
	err := s.read(func(f file, r block.Record) {
		switch {
		case r.Tomb:
			deleted[r.Seq] = true
		case r.Message():
			dead := s.settings.limit == 1 && gone(s.name, messageOf(r))
			all[r.Seq] = written{r.Subject, dead || s.forgot(f.Number, r)}
			newest[r.Subject] = max(newest[r.Subject], r.Seq)
		}
	})
	if err != nil {
		return nil, err
	}
	var back []uint64
	for seq, m := range all {
		last := newest[m.subject]
		replaced := s.settings.limit == 1 && seq < last && (deleted[last] || all[last].forgotten)
		if !deleted[seq] && (replaced || m.forgotten && (s.settings.limit != 1 || seq == last)) {
			back = append(back, seq)
		}
	}
	slices.Sort(back)
	return back, nil
}

// written is a message that stands in a block, deleted or not.
type written struct {
	subject string
	// forgotten says that it is known as deleted, by the index or otherwise.
	forgotten bool
}

// forgot reports whether the index, of whatever time, knew a message of a block
// as deleted.
func (s *stream) forgot(number int, r block.Record) bool {
	if s.index == nil {
		return false
	}
	b, ok := s.index.blocks[number]
	return ok && r.Seq <= b.last && !b.has(r.Seq)
}
