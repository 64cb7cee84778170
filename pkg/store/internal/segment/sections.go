package segment

import (
	"encoding/binary"
	"errors"
)

// A segment's bytes are a list of sections: their number (uint32, then four
// bytes of zero), the length of each (uint64), and their bytes, each padded
// to eight. All integers are little-endian.

const sectionAlign = 8

var errSections = errors.New("the list of sections is damaged")

// joinSections lays sections out one after the other.
func joinSections(sections [][]byte) []byte {
	size := 8 + 8*len(sections)
	for _, s := range sections {
		size += padded(len(s))
	}
	out := make([]byte, 0, size)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(sections)))
	for _, s := range sections {
		out = binary.LittleEndian.AppendUint64(out, uint64(len(s)))
	}
	for _, s := range sections {
		out = append(out, s...)
		out = append(out, make([]byte, padded(len(s))-len(s))...)
	}
	return out
}

// splitSections reverses joinSections. The sections share blob's memory.
func splitSections(blob []byte) ([][]byte, error) {
	if len(blob) < 8 {
		return nil, errSections
	}
	n := binary.LittleEndian.Uint64(blob)
	if n > uint64(len(blob)-8)/8 {
		return nil, errSections
	}
	lengths, rest := blob[8:8+8*n], blob[8+8*n:]
	out := make([][]byte, n)
	for i := range out {
		size := binary.LittleEndian.Uint64(lengths[8*i:])
		if size > uint64(len(rest)) || padded(int(size)) > len(rest) {
			return nil, errSections
		}
		out[i] = rest[:size:size]
		rest = rest[padded(int(size)):]
	}
	if len(rest) != 0 {
		return nil, errSections
	}
	return out, nil
}

func padded(n int) int { return (n + sectionAlign - 1) &^ (sectionAlign - 1) }

// PackUint32 returns values as little-endian bytes.
func PackUint32(values []uint32) []byte {
	out := make([]byte, 4*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(out[4*i:], v)
	}
	return out
}

// Uint32At returns the value with number i of what PackUint32 made.
func Uint32At(packed []byte, i uint32) uint32 {
	return binary.LittleEndian.Uint32(packed[4*int(i):])
}
