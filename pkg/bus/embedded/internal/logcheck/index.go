package logcheck

import (
	"bytes"
	"encoding/binary"
	"hash"

	"github.com/nats-io/nats-server/v2/server/avl"

	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
)

// index is what the server wrote of a stream when it last stopped, or some
// time before.
type index struct {
	messages uint64
	last     uint64
	subjects map[string]uint64 // messages of each
	blocks   map[int]indexed
	newest   int                  // the number of the last block
	sum      [block.SumBytes]byte // the checksum of that block's last record
}

// indexed is what the index says of a block.
type indexed struct {
	first, last uint64
	deleted     *avl.SequenceSet
}

// has reports whether a message was there.
func (b indexed) has(seq uint64) bool {
	return seq >= b.first && seq <= b.last && (b.deleted == nil || !b.deleted.Exists(seq))
}

// count is how many messages were there. Where the first ones were removed
// together, the server may list them as deleted still, below the first that is
// left.
func (b indexed) count() uint64 {
	n := b.last + 1 - b.first
	if b.deleted != nil {
		b.deleted.Range(func(seq uint64) bool {
			if seq >= b.first && seq <= b.last {
				n--
			}
			return true
		})
	}
	return n
}

const (
	indexMagic   = 11
	indexVersion = 4 // the newest that is known
	indexSum     = 8
)

// readIndex reads index.db. It is nil where it is not whole, or of a version
// that is not known.
func readIndex(raw []byte, sum hash.Hash) *index {
	if len(raw) < 32 {
		return nil
	}
	body, want := raw[:len(raw)-indexSum], raw[len(raw)-indexSum:]
	sum.Reset()
	sum.Write(body)
	if !bytes.Equal(sum.Sum(nil), want) || body[0] != indexMagic || body[1] == 0 || body[1] > indexVersion {
		return nil
	}
	version := body[1]
	in := numbers{rest: body[2:]}
	x := &index{subjects: map[string]uint64{}, blocks: map[int]indexed{}}
	x.messages = in.next()
	in.next()   // bytes
	in.next()   // first sequence
	in.signed() // its time
	x.last = in.next()
	in.signed()
	for range in.next() {
		subject := string(in.take(in.next()))
		total := in.next()
		in.next() // first block
		if total > 1 || version >= 4 {
			in.next() // last block
		}
		if in.bad {
			return nil
		}
		x.subjects[subject] = total
	}
	for range in.next() {
		number := int(in.next())
		in.next() // bytes
		b := indexed{first: in.next()}
		in.signed()
		b.last = in.next()
		in.signed()
		deleted := in.next()
		if version >= 2 {
			in.next() // with a time to live
		}
		if version >= 3 {
			in.next() // scheduled
		}
		if deleted > 0 && !in.bad {
			set, n, err := avl.Decode(in.rest)
			if err != nil {
				return nil
			}
			b.deleted = set
			in.take(uint64(n))
		}
		if in.bad {
			return nil
		}
		x.blocks[number] = b
	}
	x.newest = int(in.next())
	copy(x.sum[:], in.take(block.SumBytes))
	if in.bad {
		return nil
	}
	return x
}

// even reports whether the counts of the index agree with each other. They do
// not after the server itself has met damage: it knows the subjects still.
func (x *index) even() bool {
	bySubject, byBlock := uint64(0), uint64(0)
	for _, n := range x.subjects {
		bySubject += n
	}
	for _, b := range x.blocks {
		byBlock += b.count()
	}
	return bySubject == x.messages && byBlock == x.messages
}

// numbers reads what a buffer holds one after the other.
type numbers struct {
	rest []byte
	bad  bool
}

func (n *numbers) next() uint64 {
	v, size := binary.Uvarint(n.rest)
	return used(n, v, size)
}

func (n *numbers) signed() int64 {
	v, size := binary.Varint(n.rest)
	return used(n, v, size)
}

func used[T any](n *numbers, v T, size int) T {
	if size <= 0 || n.bad {
		n.bad = true
		var zero T
		return zero
	}
	n.rest = n.rest[size:]
	return v
}

func (n *numbers) take(size uint64) []byte {
	if n.bad || size > uint64(len(n.rest)) {
		n.bad = true
		return nil
	}
	out := n.rest[:size]
	n.rest = n.rest[size:]
	return out
}
