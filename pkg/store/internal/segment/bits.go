package segment

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math/bits"
)

const (
	pageShift = 12 // 4,096 rows a page: 512 bytes are copied for a deletion
	pageMask  = 1<<pageShift - 1
)

type page [1 << pageShift / 64]uint64

// Bits is an immutable set of row numbers. A nil Bits is empty. Changing it
// makes a new one that shares the pages that did not change.
type Bits struct {
	pages []*page
	count int
}

// Has reports whether row is in b.
func (b *Bits) Has(row uint32) bool {
	if b == nil {
		return false
	}
	p := row >> pageShift
	if int(p) >= len(b.pages) || b.pages[p] == nil {
		return false
	}
	i := row & pageMask
	return b.pages[p][i>>6]&(1<<(i&63)) != 0
}

// Count is the number of rows in b.
func (b *Bits) Count() int {
	if b == nil {
		return 0
	}
	return b.count
}

// With returns b and rows.
func (b *Bits) With(rows ...uint32) *Bits {
	if len(rows) == 0 {
		return b
	}
	out := &Bits{}
	if b != nil {
		out.count = b.count
		out.pages = append(out.pages, b.pages...)
	}
	own := make(map[uint32]bool)
	for _, row := range rows {
		p := row >> pageShift
		for int(p) >= len(out.pages) {
			out.pages = append(out.pages, nil)
		}
		if !own[p] {
			own[p] = true
			fresh := new(page)
			if out.pages[p] != nil {
				*fresh = *out.pages[p]
			}
			out.pages[p] = fresh
		}
		i := row & pageMask
		word, bit := &out.pages[p][i>>6], uint64(1)<<(i&63)
		if *word&bit == 0 {
			*word |= bit
			out.count++
		}
	}
	return out
}

// All iterates over the rows in ascending order.
func (b *Bits) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if b == nil {
			return
		}
		for p, words := range b.pages {
			if words == nil {
				continue
			}
			for w, word := range words {
				for ; word != 0; word &= word - 1 {
					row := uint32(p)<<pageShift | uint32(w)<<6 | uint32(bits.TrailingZeros64(word))
					if !yield(row) {
						return
					}
				}
			}
		}
	}
}

// encode writes the gaps between the rows as varints.
func (b *Bits) encode() []byte {
	var out []byte
	next := uint32(0)
	for row := range b.All() {
		out = binary.AppendUvarint(out, uint64(row-next))
		next = row + 1
	}
	return out
}

// decodeBits reverses encode for a segment of the given number of rows.
func decodeBits(data []byte, rows int) (*Bits, error) {
	var list []uint32
	next := uint64(0)
	for len(data) > 0 {
		gap, n := binary.Uvarint(data)
		if n <= 0 || gap >= uint64(rows) || next+gap >= uint64(rows) {
			return nil, fmt.Errorf("deleted rows do not fit %d rows", rows)
		}
		list = append(list, uint32(next+gap))
		next += gap + 1
		data = data[n:]
	}
	return (*Bits)(nil).With(list...), nil
}
