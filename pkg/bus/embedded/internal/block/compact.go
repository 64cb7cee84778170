package block

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
)

// The server writes a block anew once more than half of it is gone, and the one
// that it writes to never: a log of small streams would take many times the
// room of what is in it. So what Erase has marked is left out of the blocks
// while no server runs. A block is replaced as a whole, and the server reads
// what it reads after its own compaction: every message, the highest sequence
// of each block, and the last record of the stream, by whose checksum it knows
// its index of the stream again.

// Compact writes the blocks of a stream of the log in dir anew without what was
// erased. No server runs. A stream of which anything is damaged stays as it is.
func Compact(dir, stream string) error {
	files, err := FilesOf(dir, stream)
	if err != nil {
		return err
	}
	there, top := map[uint64]bool{}, uint64(0)
	for _, f := range files {
		b, err := read(stream, f)
		if err != nil {
			return err
		}
		top = max(top, b.top)
		for _, r := range b.records {
			if !r.Erased && !r.Tomb {
				there[r.Seq] = true
			}
		}
	}
	// In this order: a message stands before its tombstone, and goes no later.
	for i, f := range files {
		b, err := read(stream, f)
		if err == nil {
			err = b.compact(there, top, i == len(files)-1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// whole is a block with its whole content.
type whole struct {
	path    string
	sum     Sum
	buf     []byte
	records []Record
	top     uint64 // the highest sequence of a message, erased ones included
}

// read fails where a record is damaged, or of a layout that is not known here.
func read(stream string, f File) (*whole, error) {
	b := &whole{path: f.Path, sum: SumOf(stream, f.Number)}
	var err error
	if b.buf, err = os.ReadFile(f.Path); err != nil {
		return nil, err
	}
	end := 0
	for r := range walk(b.buf) {
		if !b.sum.right(b.buf[r.At : r.At+r.Size]) {
			return nil, fmt.Errorf("the record at %d of %s is damaged", r.At, f.Path)
		}
		if !r.Tomb {
			b.top = max(b.top, r.Seq)
		}
		b.records = append(b.records, r)
		end = r.At + r.Size
	}
	if end != len(b.buf) {
		return nil, fmt.Errorf("%s has something behind its last record", f.Path)
	}
	return b, nil
}

// compact writes the file without what is not needed of it. there are the
// messages that no block has erased, top is the highest sequence of all, and
// last says that it is the last block.
func (b *whole) compact(there map[uint64]bool, top uint64, last bool) error {
	var out bytes.Buffer
	for i, r := range b.records {
		final := last && i == len(b.records)-1
		switch {
		case final || !r.Erased && !r.Tomb:
			out.Write(b.buf[r.At : r.At+r.Size])
		case r.Tomb:
			// Of a message that is nowhere any more it says nothing, but for the
			// end of the stream.
			if there[r.Seq] || r.Seq >= top {
				out.Write(b.buf[r.At : r.At+r.Size])
			}
		case r.Seq == b.top:
			out.Write(erased(r.Seq, least, b.sum))
		}
	}
	if out.Len() == 0 || out.Len() == len(b.buf) {
		return nil
	}
	// A name that the server does not look at, and writes to for the same reason.
	temp := strings.TrimSuffix(b.path, ".blk") + ".new"
	if err := WriteSynced(temp, out.Bytes()); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if err := os.Rename(temp, b.path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}
