package block

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
)

// message is a record as the server writes it.
func message(seq uint64, subject, headers, body string, sum Sum) []byte {
	rest := body
	length := uint32(least + len(subject) + len(body))
	if headers != "" {
		rest = string(binary.LittleEndian.AppendUint32(nil, uint32(len(headers)))) + headers + body
		length += uint32(4+len(headers)) | headersBit
	}
	rec := binary.LittleEndian.AppendUint32(nil, length)
	rec = binary.LittleEndian.AppendUint64(rec, seq)
	rec = binary.LittleEndian.AppendUint64(rec, 7)
	rec = binary.LittleEndian.AppendUint16(rec, uint16(len(subject)))
	rec = append(append(append(rec, subject...), rest...), make([]byte, SumBytes)...)
	sub, hashed, _ := content(rec)
	copy(rec[len(rec)-SumBytes:], sum.of(rec, sub, hashed))
	return rec
}

func sample(sum Sum) []byte {
	return slices.Concat(
		message(1, "docs.a", "NATS/1.0\r\nA: b\r\n\r\n", "body", sum), erased(2, 60, sum), Tombstone(3, 9, sum), message(4, "docs.b", "", "", sum))
}

// FuzzBlock holds the two ways through a block against each other: by lengths,
// as one erases, and by checksums, as one looks for damage. Where every record
// agrees with its checksum, both see the same; nothing is seen twice, and what
// is between the whole records is told.
func FuzzBlock(f *testing.F) {
	sum := SumOf("DOCS", 1)
	whole := sample(sum)
	f.Add(whole)
	f.Add(whole[:len(whole)-3])
	f.Add(append(bytes.Clone(whole), "cmp"...))
	for _, at := range []int{0, 5, 20, 30, len(whole) / 2} {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 4
		f.Add(flipped)
	}
	f.Fuzz(func(t *testing.T, buf []byte) {
		end, scanned := 0, []Record(nil)
		gaps := Scan(buf, sum, func(r Record) {
			if r.At < end || r.At+r.Size > len(buf) || !sum.right(buf[r.At:r.At+r.Size]) {
				t.Errorf("the record at %d of %d bytes is not whole", r.At, r.Size)
			}
			end = r.At + r.Size
			scanned = append(scanned, r)
		})
		told := 0
		for _, g := range gaps {
			told += g.Size
			_, _ = Guess(buf, g)
		}
		for _, r := range scanned {
			told += r.Size
		}
		if told != len(buf) {
			t.Errorf("%d of %d bytes are told of", told, len(buf))
		}
		if len(gaps) > 0 {
			return
		}
		walked := slices.Collect(walk(buf))
		if !slices.EqualFunc(walked, scanned, func(a, b Record) bool {
			return a.At == b.At && a.Size == b.Size && a.Seq == b.Seq && a.Erased == b.Erased && a.Tomb == b.Tomb
		}) {
			t.Errorf("by lengths %v, by checksums %v", walked, scanned)
		}
	})
}

func TestWholeBlock_IsReadAsItWasWritten(t *testing.T) {
	var got []Record
	if gaps := Scan(sample(SumOf("DOCS", 1)), SumOf("DOCS", 1), func(r Record) { got = append(got, r) }); len(gaps) > 0 || len(got) != 4 {
		t.Fatalf("%d records, gaps %v", len(got), gaps)
	}
	if r := got[0]; r.Subject != "docs.a" || string(r.Headers) != "NATS/1.0\r\nA: b\r\n\r\n" || string(r.Body) != "body" || !r.Message() {
		t.Errorf("got %+v", r)
	}
	if !got[1].Erased || !got[2].Tomb || got[1].Message() || got[2].Message() || got[3].Headers != nil {
		t.Errorf("got %+v", got[1:])
	}
	if gaps := Scan(sample(SumOf("DOCS", 1)), SumOf("DOCS", 2), func(Record) {}); len(gaps) == 0 {
		t.Error("the records of another block are taken for its own")
	}
}
