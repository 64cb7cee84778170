package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// The sections of the attribute table, in their order.
const (
	sectionIDs       = iota // 16 bytes a row
	sectionDocs             // uint32 a row: number of its document
	sectionKinds            // uint32 a row: number of a string
	sectionSymbols          // uint32 a row: number of a string
	sectionDocuments        // four uint32 a document: strings of source, doc, path, language
	sectionOffsets          // uint32 a string and one more: where its bytes begin
	sectionText             // the bytes of the strings
	rowSections             // how many sections the table has
)

const idSize = len(document.ChunkID{})

// Rows is the attribute table of a segment: ids, and attributes that are kept
// once per document and once per distinct string. It is immutable and safe
// for concurrent use.
type Rows struct {
	n                         int
	documents                 int
	ids, docs, kinds, symbols []byte
	table, offsets, text      []byte
	// index is an open hash table from id to row + 1; it is not on disk.
	index []uint32
}

var errRows = errors.New("the attribute table is damaged")

// loadRows makes the table of its sections, whose memory it keeps.
func loadRows(s [][]byte) (*Rows, error) {
	if len(s) < rowSections {
		return nil, errRows
	}
	r := &Rows{
		n: len(s[sectionIDs]) / idSize, documents: len(s[sectionDocuments]) / 16,
		ids: s[sectionIDs], docs: s[sectionDocs], kinds: s[sectionKinds], symbols: s[sectionSymbols],
		table: s[sectionDocuments], offsets: s[sectionOffsets], text: s[sectionText],
	}
	strings := len(r.offsets)/4 - 1
	if len(r.ids) != r.n*idSize || len(r.docs) != 4*r.n || len(r.kinds) != 4*r.n || len(r.symbols) != 4*r.n ||
		len(r.table) != 16*r.documents || strings < 0 || len(r.offsets) != 4*(strings+1) {
		return nil, errRows
	}
	for _, check := range []struct {
		packed []byte
		below  int
	}{{r.docs, r.documents}, {r.kinds, strings}, {r.symbols, strings}, {r.table, strings}, {r.offsets, len(r.text) + 1}} {
		for i := range uint32(len(check.packed) / 4) {
			if int(Uint32At(check.packed, i)) >= check.below {
				return nil, errRows
			}
		}
	}
	for i := range uint32(strings) {
		if Uint32At(r.offsets, i) > Uint32At(r.offsets, i+1) {
			return nil, errRows
		}
	}
	r.buildIndex()
	return r, nil
}

func (r *Rows) buildIndex() {
	size := 4
	for size < 2*r.n {
		size *= 2
	}
	r.index = make([]uint32, size)
	for row := range uint32(r.n) {
		slot := hashID(r.ids[int(row)*idSize:]) & uint64(size-1)
		for r.index[slot] != 0 {
			slot = (slot + 1) & uint64(size-1)
		}
		r.index[slot] = row + 1
	}
}

// hashID mixes an id. Ids are parts of SHA-1 sums, but nothing here relies on it.
func hashID(id []byte) uint64 {
	h := binary.LittleEndian.Uint64(id)*0x9E3779B97F4A7C15 ^ binary.LittleEndian.Uint64(id[8:])
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	return h ^ h>>29
}

// Len is the number of rows, deleted ones included.
func (r *Rows) Len() int { return r.n }

// ID returns the id of a row.
func (r *Rows) ID(row uint32) document.ChunkID {
	return document.ChunkID(r.ids[int(row)*idSize:])
}

// Find returns the row of an id.
func (r *Rows) Find(id document.ChunkID) (row uint32, ok bool) {
	mask := uint64(len(r.index) - 1)
	for slot := hashID(id[:]) & mask; r.index[slot] != 0; slot = (slot + 1) & mask {
		row = r.index[slot] - 1
		if r.ID(row) == id {
			return row, true
		}
	}
	return 0, false
}

// Attrs returns the attributes of a row, in memory of their own.
func (r *Rows) Attrs(row uint32) store.Attrs {
	doc := r.doc(row)
	return store.Attrs{
		Source:   document.Source(r.bytes(r.field(doc, fieldSource))),
		Doc:      document.DocID(r.bytes(r.field(doc, fieldDoc))),
		Path:     document.Path(r.bytes(r.field(doc, fieldPath))),
		Language: string(r.bytes(r.field(doc, fieldLanguage))),
		Kind:     string(r.bytes(Uint32At(r.kinds, row))),
		Symbol:   string(r.bytes(Uint32At(r.symbols, row))),
	}
}

// compareTied orders rows of any two tables as store.CompareTied does, but for
// the ids.
func (r *Rows) compareTied(row uint32, o *Rows, other uint32) int {
	a, b := r.doc(row), o.doc(other)
	if r != o || a != b {
		for _, f := range []uint32{fieldPath, fieldSource} {
			if n := bytes.Compare(r.bytes(r.field(a, f)), o.bytes(o.field(b, f))); n != 0 {
				return n
			}
		}
	}
	return bytes.Compare(r.bytes(Uint32At(r.symbols, row)), o.bytes(Uint32At(o.symbols, other)))
}

// The fields of a document.
const (
	fieldSource = iota
	fieldDoc
	fieldPath
	fieldLanguage
)

func (r *Rows) doc(row uint32) uint32 { return Uint32At(r.docs, row) }

func (r *Rows) field(doc, field uint32) uint32 { return Uint32At(r.table, 4*doc+field) }

// bytes returns the string with number i; the caller must not change it.
func (r *Rows) bytes(i uint32) []byte {
	return r.text[Uint32At(r.offsets, i):Uint32At(r.offsets, i+1)]
}

// refs iterates over the rows of scope that are not dead.
func (r *Rows) refs(scope store.Scope, dead *Bits) iter.Seq[store.Ref] {
	return func(yield func(store.Ref) bool) {
		within := make([]bool, r.documents)
		names := make([]store.Ref, r.documents)
		found := false
		for doc := range uint32(r.documents) {
			source, name := r.bytes(r.field(doc, fieldSource)), r.bytes(r.field(doc, fieldDoc))
			if scope == (store.Scope{}) || string(source) == string(scope.Source) && string(name) == string(scope.Doc) {
				within[doc], found = true, true
				names[doc] = store.Ref{Source: document.Source(source), Doc: document.DocID(name)}
			}
		}
		if !found {
			return
		}
		for row := range uint32(r.n) {
			doc := r.doc(row)
			if !within[doc] || dead.Has(row) {
				continue
			}
			ref := names[doc]
			ref.ID = r.ID(row)
			if !yield(ref) {
				return
			}
		}
	}
}
