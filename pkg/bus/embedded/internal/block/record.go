package block

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"iter"
	"strconv"

	"github.com/minio/highwayhash"
)

// A record is its length (4 bytes), sequence (8), time (8), length of the
// subject (2), the subject, the length of the headers (4) where there are any,
// headers, body, and a checksum (8).
const (
	headBytes = 22
	// SumBytes is the size of a checksum.
	SumBytes = 8
	least    = headBytes + SumBytes
	// mostBytes is what the server takes for a length that cannot be.
	mostBytes = 32 << 20

	headersBit = uint32(1) << 31 // of the length: it has headers
	erasedBit  = uint64(1) << 63 // of the sequence: only a place is kept
	tombBit    = uint64(1) << 62 // of the sequence: that message was deleted
)

// Record is one in a block.
type Record struct {
	At, Size int
	Seq      uint64 // without the bits
	Erased   bool
	Tomb     bool // says that Seq was deleted

	// Of a message, and by Scan only; of the block's buffer.
	Subject string
	Headers []byte // nil where it has none
	Body    []byte
}

// Message reports whether the record is a message.
func (r Record) Message() bool { return !r.Erased && !r.Tomb && r.Seq != 0 }

// Sum hashes the records of one block. It belongs to one goroutine.
type Sum struct{ hash.Hash }

// SumOf returns what hashes the records of a block of a stream.
func SumOf(stream string, number int) Sum { return Sum{Keyed(stream + "-" + strconv.Itoa(number))} }

// Keyed returns the server's hash with a name as its key: that of a stream for
// its settings and its index.
func Keyed(name string) hash.Hash {
	key := sha256.Sum256([]byte(name))
	h, err := highwayhash.New64(key[:])
	if err != nil {
		panic(err) // the key has the right length
	}
	return h
}

// of returns the checksum of a record, whose own is left out.
func (s Sum) of(rec, subject, rest []byte) []byte {
	s.Reset()
	s.Write(rec[4:20])
	s.Write(subject)
	s.Write(rest)
	var room [SumBytes]byte
	return s.Hash.Sum(room[:0])
}

// right reports whether a record agrees with its checksum.
func (s Sum) right(rec []byte) bool {
	subject, rest, ok := content(rec)
	return ok && bytes.Equal(s.of(rec, subject, rest), rec[len(rec)-SumBytes:])
}

// frame reads the head of the record at a place of a block. It is false where
// none fits.
func frame(buf []byte, at int) (Record, bool) {
	rest := buf[at:]
	if len(rest) < least {
		return Record{}, false
	}
	size := int(binary.LittleEndian.Uint32(rest) &^ headersBit)
	if size < least || size > len(rest) || size > mostBytes {
		return Record{}, false
	}
	seq := binary.LittleEndian.Uint64(rest[4:])
	return Record{At: at, Size: size, Seq: seq &^ (erasedBit | tombBit), Erased: seq&erasedBit != 0, Tomb: seq&tombBit != 0}, true
}

// content splits what stands between the head of a record and its checksum. The
// checksum does not cover the length of the headers, which is in neither part.
func content(rec []byte) (subject, rest []byte, ok bool) {
	begin, end := headBytes+int(binary.LittleEndian.Uint16(rec[20:])), len(rec)-SumBytes
	hashed := begin
	if hasHeaders(rec) {
		hashed += 4
	}
	if hashed > end {
		return nil, nil, false
	}
	return rec[headBytes:begin], rec[hashed:end], true
}

func hasHeaders(rec []byte) bool { return binary.LittleEndian.Uint32(rec)&headersBit != 0 }

// parse reads the record at a place of a block. It is false where no whole
// record is.
func parse(buf []byte, at int, sum Sum) (Record, bool) {
	r, ok := frame(buf, at)
	if !ok {
		return Record{}, false
	}
	rec := buf[at : at+r.Size]
	subject, rest, ok := content(rec)
	if !ok || !bytes.Equal(sum.of(rec, subject, rest), rec[len(rec)-SumBytes:]) {
		return Record{}, false
	}
	r.Subject, r.Body = string(subject), rest
	if !hasHeaders(rec) || !r.Message() {
		return r, true
	}
	headers := int(binary.LittleEndian.Uint32(rec[headBytes+len(subject):]))
	if headers > len(rest) || !wholeHeaders(rest[:headers]) {
		return Record{}, false
	}
	r.Headers, r.Body = rest[:headers], rest[headers:]
	return r, true
}

// wholeHeaders reports whether these are all headers of a message.
func wholeHeaders(headers []byte) bool {
	end := []byte("\r\n\r\n")
	return bytes.HasPrefix(headers, []byte("NATS/1.0")) && bytes.HasSuffix(headers, end) && bytes.Index(headers, end) == len(headers)-len(end)
}

// walk goes over the records of a block by their lengths, up to the first that
// cannot be one. It looks at no checksum.
func walk(buf []byte) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for at := 0; at < len(buf); {
			r, ok := frame(buf, at)
			if !ok || !yield(r) {
				return
			}
			at += r.Size
		}
	}
}

// Gap is a part of a block in which no whole record is.
type Gap struct{ At, Size int }

// Scan calls each for every whole record of a block, and returns what lies
// between them.
func Scan(buf []byte, sum Sum, each func(Record)) (gaps []Gap) {
	for at := 0; at < len(buf); {
		if r, ok := parse(buf, at, sum); ok {
			each(r)
			at += r.Size
			continue
		}
		next := resume(buf, at, sum)
		gaps = append(gaps, Gap{at, next - at})
		at = next
	}
	return gaps
}

// Guess returns the subject that stands in a gap, if that is a record of which
// something else is damaged.
func Guess(buf []byte, g Gap) (subject string, ok bool) {
	if g.Size < headBytes || g.At+g.Size > len(buf) {
		return "", false
	}
	head := buf[g.At : g.At+g.Size]
	end := headBytes + int(binary.LittleEndian.Uint16(head[20:]))
	if end > len(head) {
		return "", false
	}
	return string(head[headBytes:end]), true
}

// resume returns where records go on behind a bad one, the end of the block
// where they do not. The length of the bad record is believed first: its body
// may hold what looks like a record.
func resume(buf []byte, at int, sum Sum) int {
	if at+4 <= len(buf) {
		size := int(binary.LittleEndian.Uint32(buf[at:]) &^ headersBit)
		if next := at + size; size >= least && next <= len(buf) {
			if _, ok := parse(buf, next, sum); ok || next == len(buf) {
				return next
			}
		}
	}
	for next := at + 1; next < len(buf); next++ {
		if _, ok := parse(buf, next, sum); ok {
			return next
		}
	}
	return len(buf)
}

// Tombstone returns the record that keeps a sequence.
func Tombstone(seq uint64, nanos int64, sum Sum) []byte {
	rec := make([]byte, least)
	binary.LittleEndian.PutUint32(rec, least)
	binary.LittleEndian.PutUint64(rec[4:], seq|tombBit)
	binary.LittleEndian.PutUint64(rec[12:], uint64(nanos))
	return sum.seal(rec)
}

// erased returns what stands in the place of a message of a size.
func erased(seq uint64, size int, sum Sum) []byte {
	rec := make([]byte, size)
	binary.LittleEndian.PutUint32(rec, uint32(size))
	binary.LittleEndian.PutUint64(rec[4:], seq|erasedBit)
	return sum.seal(rec)
}

// seal puts the checksum of a record without headers and subject into it.
func (s Sum) seal(rec []byte) []byte {
	end := len(rec) - SumBytes
	copy(rec[end:], s.of(rec, nil, rec[headBytes:end]))
	return rec
}

// Compressed reports whether a block is, as somebody may have set it.
func Compressed(buf []byte) bool { return bytes.HasPrefix(buf, []byte("cmp")) }
