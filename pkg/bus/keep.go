package bus

import (
	"strings"
	"unique"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Every string of a head is a part of its message's subject or headers, and
// would keep the whole of them in memory for as long as a table has the head.

// keepFile has a head of FILES hold nothing but itself.
func keepFile(h *contract.FileHead) {
	h.Source, h.View, h.Op, h.Collection, h.Commit = few(h.Source), few(h.View), few(h.Op), few(h.Collection), few(h.Commit)
	h.Doc, h.Path, h.Hash = own(h.Doc), own(h.Path), own(h.Hash)
	h.Ancestors, h.Blob, h.Reason = own(h.Ancestors), own(h.Blob), own(h.Reason)
	h.Format, h.Grammar = few(h.Format), few(h.Grammar)
}

// few returns a string of which there are many, once.
func few[T ~string](s T) T { return T(unique.Make(string(s)).Value()) }

// own returns a string without what is around it in memory.
func own[T ~string](s T) T { return T(strings.Clone(string(s))) }
