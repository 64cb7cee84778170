package indexer

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
)

// key tells states apart. Workers that have changed places are the same state,
// since nothing tells them apart.
func (w *world) key() string {
	b := make([]byte, 0, 512)
	b = appendNumbers(b, w.input, w.handled, int(w.seq), w.crashes, w.fails, flag(w.noted), w.backs, flag(w.lost), int(w.purge), w.floor, w.absent, flag(w.due))
	b = appendNumbers(b, len(w.queued))
	b = appendNumbers(b, w.queued...)
	b = appendStore(b, w.store)
	b = appendIDs(b, w.head.ids)
	b = appendText(appendNumbers(b, int(w.head.covers.Newest())), w.head.store)
	b = appendNumbers(appendText(b, w.lineage.Store), len(w.lineage.Past), flag(w.copy != nil))
	for _, p := range w.lineage.Past {
		b = appendText(appendNumbers(b, int(p.UpTo)), p.Store)
	}
	if w.copy != nil {
		b = appendStore(appendNumbers(b, int(w.copy.position)), w.copy.store)
	}
	one, other := w.workers[0].key(), w.workers[1].key()
	if bytes.Compare(one, other) > 0 {
		one, other = other, one
	}
	return string(append(append(b, one...), other...))
}

func (k *workerState) key() []byte {
	p := &k.pass
	b := appendNumbers(make([]byte, 0, 128), flag(k.busy), k.message, int(k.seq), int(p.step), int(p.head.seq))
	for _, ids := range [][]document.ChunkID{p.put, p.del, p.created, p.drop} {
		b = appendIDs(b, ids)
	}
	return appendText(b, p.store)
}

func appendNumbers(b []byte, numbers ...int) []byte {
	for _, n := range numbers {
		b = binary.AppendVarint(b, int64(n))
	}
	return b
}

func appendText(b []byte, text string) []byte {
	return append(appendNumbers(b, len(text)), text...)
}

func appendIDs(b []byte, ids []document.ChunkID) []byte {
	b = appendNumbers(b, len(ids))
	for _, id := range ids {
		b = append(b, id[:]...)
	}
	return b
}

func appendStore(b []byte, store map[document.ChunkID]bool) []byte {
	return appendIDs(b, slices.SortedFunc(maps.Keys(store), document.ChunkID.Compare))
}

func flag(is bool) int {
	if is {
		return 1
	}
	return 0
}
