package segment

import (
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// rowBuilder gathers the attribute table of a segment.
type rowBuilder struct {
	ids                  []byte
	docs, kinds, symbols []uint32
	documents            map[[4]uint32]uint32
	table                []uint32
	numbers              map[string]uint32
	offsets              []uint32
	text                 []byte
}

func newRowBuilder() *rowBuilder {
	return &rowBuilder{
		documents: make(map[[4]uint32]uint32),
		numbers:   make(map[string]uint32),
		offsets:   []uint32{0},
	}
}

func (b *rowBuilder) len() int { return len(b.docs) }

func (b *rowBuilder) add(id document.ChunkID, a store.Attrs) {
	doc := b.document([4]uint32{
		fieldSource: b.intern(string(a.Source)), fieldDoc: b.intern(string(a.Doc)),
		fieldPath: b.intern(string(a.Path)), fieldLanguage: b.intern(a.Language),
	})
	b.append(id, doc, b.intern(a.Kind), b.intern(a.Symbol))
}

func (b *rowBuilder) append(id document.ChunkID, doc, kind, symbol uint32) {
	b.ids = append(b.ids, id[:]...)
	b.docs = append(b.docs, doc)
	b.kinds = append(b.kinds, kind)
	b.symbols = append(b.symbols, symbol)
}

func (b *rowBuilder) document(fields [4]uint32) uint32 {
	n, ok := b.documents[fields]
	if !ok {
		n = uint32(len(b.documents))
		b.documents[fields] = n
		b.table = append(b.table, fields[:]...)
	}
	return n
}

// intern returns the number of a string. The map's keys are copies, so that
// they do not hold the caller's memory.
func (b *rowBuilder) intern(s string) uint32 {
	n, ok := b.numbers[s]
	if !ok {
		n = uint32(len(b.numbers))
		b.numbers[strings.Clone(s)] = n
		b.text = append(b.text, s...)
		b.offsets = append(b.offsets, uint32(len(b.text)))
	}
	return n
}

// addLive adds the rows of r that are not dead and returns the new number of
// each row, or Gone.
func (b *rowBuilder) addLive(r *Rows, dead *Bits) []uint32 {
	remap := make([]uint32, r.n)
	texts := make([]uint32, len(r.offsets)/4) // new number + 1
	docs := make([]uint32, r.documents)       // new number + 1
	text := func(i uint32) uint32 {
		if texts[i] == 0 {
			texts[i] = b.intern(string(r.bytes(i))) + 1
		}
		return texts[i] - 1
	}
	for row := range uint32(r.n) {
		if dead.Has(row) {
			remap[row] = Gone
			continue
		}
		remap[row] = uint32(b.len())
		doc := r.doc(row)
		if docs[doc] == 0 {
			var fields [4]uint32
			for f := range fields {
				fields[f] = text(r.field(doc, uint32(f)))
			}
			docs[doc] = b.document(fields) + 1
		}
		b.append(r.ID(row), docs[doc]-1, text(Uint32At(r.kinds, row)), text(Uint32At(r.symbols, row)))
	}
	return remap
}

func (b *rowBuilder) sections() [][]byte {
	out := make([][]byte, rowSections)
	out[sectionIDs] = b.ids
	out[sectionDocs] = PackUint32(b.docs)
	out[sectionKinds] = PackUint32(b.kinds)
	out[sectionSymbols] = PackUint32(b.symbols)
	out[sectionDocuments] = PackUint32(b.table)
	out[sectionOffsets] = PackUint32(b.offsets)
	out[sectionText] = b.text
	return out
}
