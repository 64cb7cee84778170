package postings

import "encoding/binary"

// A posting list holds, for each row with the term in ascending order, the
// gap to the row before (minus one; the first counts from row 0) shifted left
// by one, with the low bit set where the term occurs more than once; then the
// frequency follows. Both are varints.

// appendPosting adds a row to a list; next is the row after the last one.
func appendPosting(list []byte, next, row, tf uint32) []byte {
	gap := uint64(row-next) << 1
	if tf == 1 {
		return binary.AppendUvarint(list, gap)
	}
	return binary.AppendUvarint(binary.AppendUvarint(list, gap|1), uint64(tf))
}

// posting is a position in a list.
type posting struct {
	rest []byte
	left int // rows after the current one
	row  uint32
	tf   uint32
}

// openList goes to the first row of a list of df rows.
func openList(list []byte, df int) posting {
	p := posting{rest: list, left: df, row: ^uint32(0)}
	p.next()
	return p
}

// next goes to the next row; false when there is none.
func (p *posting) next() bool {
	if p.left == 0 {
		return false
	}
	p.left--
	gap := p.varint()
	p.row += gap>>1 + 1
	p.tf = 1
	if gap&1 != 0 {
		p.tf = p.varint()
	}
	return true
}

// varint reads one value of the list; lists that passed their checksum are
// well formed.
func (p *posting) varint() uint32 {
	b := p.rest[0]
	if b < 0x80 {
		p.rest = p.rest[1:]
		return uint32(b)
	}
	v, n := binary.Uvarint(p.rest)
	p.rest = p.rest[n:]
	return uint32(v)
}
