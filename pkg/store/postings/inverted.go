package postings

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/store/internal/segment"
)

// The sections of a segment's payload.
const (
	sectionLengths = iota // uint32 a row: number of tokens
	sectionBlocks         // uint32 a block of the dictionary
	sectionKeys           // uint64 a block of the dictionary
	sectionTerms          // the dictionary
	sectionLists          // the posting lists
	payloadSections
)

// inverted is the inverted index of a segment. It is immutable.
type inverted struct {
	dictionary
	lengths []byte
}

func load(s [][]byte, rows int) (*inverted, error) {
	if len(s) != payloadSections || len(s[sectionLengths]) != 4*rows || len(s[sectionBlocks])%4 != 0 ||
		len(s[sectionKeys]) != 2*len(s[sectionBlocks]) {
		return nil, errDictionary
	}
	for i := range uint32(len(s[sectionBlocks]) / 4) {
		if int(segment.Uint32At(s[sectionBlocks], i)) >= len(s[sectionTerms]) {
			return nil, errDictionary
		}
	}
	return &inverted{
		dictionary: dictionary{blocks: s[sectionBlocks], keys: s[sectionKeys], terms: s[sectionTerms], lists: s[sectionLists]},
		lengths:    s[sectionLengths],
	}, nil
}

// length is the number of tokens of a row.
func (x *inverted) length(row uint32) int { return int(segment.Uint32At(x.lengths, row)) }

// invertedWriter gathers an inverted index term by term, in ascending order.
type invertedWriter struct {
	dictionary dictionaryWriter
	lists      []byte
	term       []byte
	start      int
	df         int
	nextRow    uint32
}

// begin starts the list of a term.
func (w *invertedWriter) begin(term []byte) {
	w.term, w.start, w.df, w.nextRow = term, len(w.lists), 0, 0
}

// add adds a row to the list; rows ascend.
func (w *invertedWriter) add(row, tf uint32) {
	w.lists = appendPosting(w.lists, w.nextRow, row, tf)
	w.nextRow = row + 1
	w.df++
}

// end finishes the list; a term without rows leaves no trace.
func (w *invertedWriter) end() {
	if w.df > 0 {
		w.dictionary.add(w.term, w.df, w.start, len(w.lists)-w.start)
	}
}

func (w *invertedWriter) sections(lengths []uint32) [][]byte {
	out := make([][]byte, payloadSections)
	out[sectionLengths] = segment.PackUint32(lengths)
	out[sectionBlocks] = segment.PackUint32(w.dictionary.blocks)
	out[sectionKeys] = w.dictionary.keys
	out[sectionTerms] = w.dictionary.terms
	out[sectionLists] = w.lists
	return out
}

// merge joins inverted indexes: their dictionaries are walked side by side.
// See segment.Layout.
func merge(ctx context.Context, parts []segment.Source[*inverted], rows int) ([][]byte, error) {
	lengths := make([]uint32, rows)
	cursors := make([]dictionaryCursor, len(parts))
	alive := make([]bool, len(parts))
	listBytes, termBytes := 0, 0
	for i, p := range parts {
		for old, row := range p.Remap {
			if row != segment.Gone {
				lengths[row] = segment.Uint32At(p.Payload.lengths, uint32(old))
			}
		}
		cursors[i] = p.Payload.walk(0)
		alive[i] = cursors[i].nextKeyed()
		listBytes += len(p.Payload.lists)
		termBytes = max(termBytes, len(p.Payload.terms))
	}
	w := invertedWriter{lists: make([]byte, 0, listBytes)}
	w.dictionary.terms = make([]byte, 0, termBytes)
	var same []int // the cursors at the least term
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		same = same[:0]
		for i := range cursors {
			order := -1
			if !alive[i] {
				continue
			}
			if len(same) > 0 {
				order = cursors[i].compare(&cursors[same[0]])
			}
			if order < 0 {
				same = same[:0]
			}
			if order <= 0 {
				same = append(same, i)
			}
		}
		if len(same) == 0 {
			return w.sections(lengths), nil
		}
		w.begin(cursors[same[0]].term)
		for _, i := range same {
			c, remap := &cursors[i], parts[i].Remap
			for p, more := openList(c.list, c.df), true; more; more = p.next() {
				if row := remap[p.row]; row != segment.Gone {
					w.add(row, p.tf)
				}
			}
		}
		w.end()
		for _, i := range same {
			alive[i] = cursors[i].nextKeyed()
		}
	}
}
