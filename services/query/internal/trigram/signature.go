package trigram

import (
	"bytes"
	"slices"
)

// Signature tells which trigrams each block of a text may hold. A line lies in one
// block, and so does whatever matches in it.
type Signature struct {
	blocks []block
	// odd says that the text has a letter beyond ASCII that an expression may take
	// for one of ASCII: the Kelvin sign for k, the long s for s.
	odd bool
}

// block has the bits of the trigrams of a part of a text: of all that it holds, and
// by chance of one in some twelve that it does not (a Bloom filter). Case is that
// of lower-case ASCII.
type block []uint64

// blockBytes is how long a block is before it ends with its line: a long text holds
// most trigrams somewhere, and seldom all of a word's in one place.
const blockBytes = 16 << 10

// perTrigram are the bits of a signature for each trigram of its text, of which
// hashes are set: twelve in a hundred that are not in the text seem to be with
// four bits, eight with six, five with eight.
const perTrigram = 6

// wordBits are the bits of a word of a signature.
const wordBits = 64

// gram is a trigram: three bytes, the first one highest.
type gram uint32

const (
	gramLen = 3
	grams   = 1 << (8 * gramLen)
)

// Maker makes signatures. It is for one goroutine, and keeps two megabytes.
type Maker struct {
	seen []uint64
	list []gram
}

// NewMaker returns a Maker.
func NewMaker() *Maker { return &Maker{seen: make([]uint64, grams/wordBits)} }

// Sign returns the signature of a text. Trigrams with a line feed are left out:
// lines are matched one at a time.
func (m *Maker) Sign(text []byte) Signature {
	s := Signature{odd: bytes.Contains(text, []byte("\u212a")) || bytes.Contains(text, []byte("\u017f"))}
	for len(text) > 0 {
		end := len(text)
		if end > blockBytes {
			if i := bytes.IndexByte(text[blockBytes:], '\n'); i >= 0 {
				end = blockBytes + i + 1
			}
		}
		s.blocks = append(s.blocks, m.block(text[:end]))
		text = text[end:]
	}
	s.blocks = slices.Clip(s.blocks)
	return s
}

// block returns the trigrams of a part of a text.
func (m *Maker) block(text []byte) block {
	var g gram
	run := 0 // bytes of the line so far
	for _, b := range text {
		if b == '\n' {
			run = 0
			continue
		}
		g = (g<<8 | gram(lower(b))) & (grams - 1)
		if run++; run < gramLen {
			continue
		}
		if word, bit := g/wordBits, uint64(1)<<(g%wordBits); m.seen[word]&bit == 0 {
			m.seen[word] |= bit
			m.list = append(m.list, g)
		}
	}
	bits := make(block, (len(m.list)*perTrigram+wordBits-1)/wordBits)
	for _, g := range m.list {
		m.seen[g/wordBits] = 0
		one, two := g.places(len(bits))
		bits[one/wordBits] |= 1 << (one % wordBits)
		bits[two/wordBits] |= 1 << (two % wordBits)
	}
	m.list = m.list[:0]
	return bits
}

// places are the two bits of a signature of so many words that stand for a trigram.
func (g gram) places(words int) (one, two uint64) {
	// The finish of SplitMix64: each bit of the result depends on all of g.
	x := (uint64(g) + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	size := uint64(words) * wordBits
	return (x >> 32) * size >> 32, (x & (1<<32 - 1)) * size >> 32
}

// has reports whether a block may hold a trigram.
func (b block) has(g gram) bool {
	if len(b) == 0 {
		return false
	}
	one, two := g.places(len(b))
	return b[one/wordBits]>>(one%wordBits)&1 == 1 && b[two/wordBits]>>(two%wordBits)&1 == 1
}

// size is what a signature takes, in bytes.
func (s Signature) size() (n int64) {
	for _, b := range s.blocks {
		n += perBlock + int64(len(b))*wordBits/8
	}
	return n
}

// perBlock is what a block takes beside its bits, in bytes.
const perBlock = 24

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
