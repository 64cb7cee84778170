package segment

import (
	"context"
	"math"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Gone stands for the new number of a row that a merge leaves out.
const Gone = math.MaxUint32

// Layout says what a kind of store keeps of a row beside its attributes: E is
// the value as it is applied, P the values of a whole segment.
type Layout[E, P any] struct {
	// Kind and Dims are kept in the manifest; a directory of another kind or
	// with other dims is refused with document.IdentityMismatch.
	Kind string
	Dims int
	// Check refuses a value; the error becomes that of its item.
	Check func(E) error
	// NewTail begins a segment.
	NewTail func() Tail[E]
	// Load makes the payload of its sections and keeps their memory.
	Load func(sections [][]byte, rows int) (P, error)
	// Merge joins payloads: row r of part i becomes row parts[i].Remap[r]
	// of rows, unless that is Gone. New numbers ascend over parts and rows.
	// The error is that of ctx, which ends when the store is closed.
	Merge func(ctx context.Context, parts []Source[P], rows int) ([][]byte, error)
	// Length is a row's share of Part.Length; nil when nothing is summed.
	Length func(p P, row uint32) int
}

// Tail gathers the values of a segment to be. It is for one goroutine.
type Tail[E any] interface {
	// Add appends a value that passed Check; it keeps none of its memory.
	Add(value E)
	// Size is roughly the memory used, in bytes.
	Size() int
	// Seal returns the sections that Load reads. The tail is used up.
	Seal() [][]byte
}

// Source is a payload that takes part in a merge.
type Source[P any] struct {
	Payload P
	Remap   []uint32
}

// Entry is a row to be applied.
type Entry[E any] struct {
	ID    document.ChunkID
	Attrs store.Attrs
	Value E
}

// Segment is an immutable run of rows.
type Segment[P any] struct {
	Rows    *Rows
	Payload P
	blob    []byte
	// file and sum are set once, by the first snapshot that holds the
	// segment, under Set.saving.
	file string
	sum  uint32
}

// Part is a segment with the rows that were deleted from it. It is immutable.
type Part[P any] struct {
	*Segment[P]
	Dead *Bits
	// Filled is the number of live rows whose Layout.Length is not zero, and
	// Length the sum over them.
	Filled int
	Length uint64
}

// Live is the number of rows that are not deleted.
func (p *Part[P]) Live() int { return p.Rows.Len() - p.Dead.Count() }

// View is a state of the store that searches see. It is immutable.
type View[P any] struct {
	Parts []*Part[P]
}

// loadSegment makes a segment of its bytes.
func (l *Layout[E, P]) loadSegment(blob []byte) (*Segment[P], error) {
	sections, err := splitSections(blob)
	if err != nil {
		return nil, err
	}
	rows, err := loadRows(sections)
	if err != nil {
		return nil, err
	}
	payload, err := l.Load(sections[rowSections:], rows.Len())
	if err != nil {
		return nil, err
	}
	return &Segment[P]{Rows: rows, Payload: payload, blob: blob}, nil
}

// part puts seg and its dead rows together.
func (l *Layout[E, P]) part(seg *Segment[P], dead *Bits) *Part[P] {
	p := &Part[P]{Segment: seg, Dead: dead}
	if l.Length == nil {
		return p
	}
	for row := range uint32(seg.Rows.Len()) {
		if !dead.Has(row) {
			p.weigh(l.Length(seg.Payload, row), 1)
		}
	}
	return p
}

// without returns p less rows, which are live and distinct.
func (l *Layout[E, P]) without(p *Part[P], rows []uint32) *Part[P] {
	out := *p
	out.Dead = p.Dead.With(rows...)
	if l.Length != nil {
		for _, row := range rows {
			out.weigh(l.Length(p.Payload, row), -1)
		}
	}
	return &out
}

func (p *Part[P]) weigh(length, sign int) {
	if length > 0 {
		p.Filled += sign
		p.Length += uint64(sign * length)
	}
}
