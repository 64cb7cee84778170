package store

import (
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Compare orders hits as every search returns them: the best score first, and
// of equal ones as CompareTied has it.
func (h *Hit) Compare(o *Hit) int {
	switch {
	case h.Score > o.Score:
		return -1
	case h.Score < o.Score:
		return 1
	}
	return CompareTied(&h.Attrs, &o.Attrs, h.ID, o.ID)
}

// CompareTied orders chunks of which nothing else says which is better: by path,
// source and symbol, which are the same in every index of the same files, and
// only then by id, which is another in each. A store does not know lines: those
// of a chunk change while it stays the same.
func CompareTied(a, b *Attrs, ida, idb document.ChunkID) int {
	if n := strings.Compare(string(a.Path), string(b.Path)); n != 0 {
		return n
	}
	if n := strings.Compare(string(a.Source), string(b.Source)); n != 0 {
		return n
	}
	if n := strings.Compare(a.Symbol, b.Symbol); n != 0 {
		return n
	}
	return ida.Compare(idb)
}
