package postings

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"sort"

	"github.com/freshet-dev/freshet/pkg/store/internal/segment"
)

// The dictionary of a segment lists its terms in ascending order, in blocks
// of blockTerms. A block begins with the offset of its first posting list;
// each term follows as the length that it shares with the term before, the
// length of the rest, the rest, its number of rows, and the length of its
// posting list in bytes. All numbers are varints. The first eight bytes of
// each block's first term stand apart, so that a search for a block touches
// little memory.
const blockTerms = 16

var errDictionary = errors.New("the dictionary is damaged")

// dictionaryWriter gathers terms in ascending order.
type dictionaryWriter struct {
	blocks []uint32
	keys   []byte
	terms  []byte
	last   []byte
	count  int
}

func (w *dictionaryWriter) add(term []byte, df int, offset, size int) {
	shared := 0
	if w.count%blockTerms == 0 {
		w.blocks = append(w.blocks, uint32(len(w.terms)))
		w.keys = binary.LittleEndian.AppendUint64(w.keys, keyOf(term))
		w.terms = binary.AppendUvarint(w.terms, uint64(offset))
	} else {
		for shared < len(w.last) && shared < len(term) && w.last[shared] == term[shared] {
			shared++
		}
	}
	w.terms = binary.AppendUvarint(w.terms, uint64(shared))
	w.terms = binary.AppendUvarint(w.terms, uint64(len(term)-shared))
	w.terms = append(w.terms, term[shared:]...)
	w.terms = binary.AppendUvarint(w.terms, uint64(df))
	w.terms = binary.AppendUvarint(w.terms, uint64(size))
	w.last = append(w.last[:0], term...)
	w.count++
}

// keyOf is the beginning of a term as a number that orders alike.
func keyOf(term []byte) uint64 {
	if len(term) >= 8 {
		return binary.BigEndian.Uint64(term)
	}
	var b [8]byte
	copy(b[:], term)
	return binary.BigEndian.Uint64(b[:])
}

// dictionary reads what a dictionaryWriter wrote.
type dictionary struct {
	blocks []byte // uint32 a block: where it begins in terms
	keys   []byte // uint64 a block: keyOf its first term
	terms  []byte
	lists  []byte
}

// first returns the first term of a block; it shares the dictionary's memory.
func (d *dictionary) first(block int) []byte {
	rest := d.terms[segment.Uint32At(d.blocks, uint32(block)):]
	rest = rest[uvarintLen(rest):] // offset
	rest = rest[1:]                // nothing shared
	size, n := binary.Uvarint(rest)
	return rest[n : n+int(size)]
}

func uvarintLen(b []byte) int {
	n := 1
	for b[n-1] >= 0x80 {
		n++
	}
	return n
}

// lookup returns the posting list of term and its number of rows.
func (d *dictionary) lookup(term []byte) (list []byte, df int) {
	block := d.block(term)
	if block < 0 {
		return nil, 0
	}
	c := d.walk(block)
	for range blockTerms {
		if !c.next() {
			break
		}
		switch bytes.Compare(c.term, term) {
		case 0:
			return c.list, c.df
		case 1:
			return nil, 0
		}
	}
	return nil, 0
}

// block returns the last block whose first term is term or before it, -1 where
// there is none.
func (d *dictionary) block(term []byte) int {
	want := keyOf(term)
	return sort.Search(len(d.blocks)/4, func(i int) bool {
		if key := binary.LittleEndian.Uint64(d.keys[8*i:]); key != want {
			return key > want
		}
		return bytes.Compare(d.first(i), term) > 0
	}) - 1
}

// beginning returns the first terms that begin with prefix, at most limit.
func (d *dictionary) beginning(prefix []byte, limit int) (terms []string) {
	c := d.walk(max(0, d.block(prefix)))
	for len(terms) < limit && c.next() {
		if bytes.HasPrefix(c.term, prefix) {
			terms = append(terms, string(c.term))
		} else if bytes.Compare(c.term, prefix) > 0 {
			break
		}
	}
	return terms
}

// walk iterates over the terms from the given block on.
func (d *dictionary) walk(block int) dictionaryCursor {
	c := dictionaryCursor{lists: d.lists}
	if block < len(d.blocks)/4 {
		c.rest = d.terms[segment.Uint32At(d.blocks, uint32(block)):]
	}
	return c
}

// dictionaryCursor is a position in a dictionary.
type dictionaryCursor struct {
	rest   []byte
	lists  []byte
	offset int
	count  int
	term   []byte // valid until next
	key    uint64 // keyOf term; only set by nextKeyed
	df     int
	list   []byte
}

func (c *dictionaryCursor) next() bool {
	if len(c.rest) == 0 {
		return false
	}
	if c.count%blockTerms == 0 {
		c.offset = c.varint()
	}
	shared, size := c.varint(), c.varint()
	c.term = append(c.term[:shared], c.rest[:size]...)
	c.rest = c.rest[size:]
	c.df = c.varint()
	n := c.varint()
	c.list = c.lists[c.offset : c.offset+n : c.offset+n]
	c.offset += n
	c.count++
	return true
}

// nextKeyed is next for callers that compare terms.
func (c *dictionaryCursor) nextKeyed() bool {
	if !c.next() {
		return false
	}
	c.key = keyOf(c.term)
	return true
}

// compare orders the terms of two cursors.
func (c *dictionaryCursor) compare(other *dictionaryCursor) int {
	if c.key != other.key {
		return cmp.Compare(c.key, other.key)
	}
	return bytes.Compare(c.term, other.term)
}

func (c *dictionaryCursor) varint() int {
	if b := c.rest[0]; b < 0x80 {
		c.rest = c.rest[1:]
		return int(b)
	}
	v, n := binary.Uvarint(c.rest)
	c.rest = c.rest[n:]
	return int(v)
}
