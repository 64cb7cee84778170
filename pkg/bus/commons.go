package bus

import (
	"strings"
	"sync"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/shrink"
)

// common is what the heads of one version of a document say alike, whichever
// stage and stream they are of. It does not change.
type common struct {
	doc    document.DocID
	path   document.Path
	covers contract.Covers
	heads  int // that have it, 0 where it is of one alone; commons.mu guards it
}

// commons finds what the heads of a process have in common, by the newest version
// that they cover. It is safe for concurrent use, and calls nobody under its lock.
type commons struct {
	mu sync.Mutex
	by shrink.Map[document.Version, *common]
	// wide are those of several views: the head in FILES of the newest version
	// covers one, and the outputs of it more.
	wide shrink.Map[document.Version, *common]
}

func (c *commons) of(covers contract.Covers) *shrink.Map[document.Version, *common] {
	if covers.Len() > 1 {
		return &c.wide
	}
	return &c.by
}

// take returns what a head has in common with others, and notes that it has it.
func (c *commons) take(doc document.DocID, path document.Path, covers contract.Covers) *common {
	newest := covers.Newest()
	c.mu.Lock()
	defer c.mu.Unlock()
	by := c.of(covers)
	have, taken := by.Get(newest)
	if taken && have.doc == doc && have.path == path && have.covers.Equal(covers) {
		have.heads++
		return have
	}
	fresh := ownCommon(doc, path, covers)
	if !taken {
		fresh.heads = 1
		by.Set(newest, fresh)
	}
	return fresh
}

// ownCommon holds nothing of what it is made of. Its strings are one in memory.
func ownCommon(doc document.DocID, path document.Path, covers contract.Covers) *common {
	var text strings.Builder
	size := len(doc) + len(path)
	for _, cover := range covers.All() {
		size += len(cover.Hash)
	}
	text.Grow(size)
	text.WriteString(string(doc))
	text.WriteString(string(path))
	for _, cover := range covers.All() {
		text.WriteString(string(cover.Hash))
	}
	rest := text.String()
	next := func(n int) (s string) {
		s, rest = rest[:n], rest[n:]
		return s
	}
	fresh := &common{doc: document.DocID(next(len(doc))), path: document.Path(next(len(path)))}
	for view, cover := range covers.All() {
		cover.Hash = document.Hash(next(len(cover.Hash)))
		fresh.covers = fresh.covers.With(few(view), cover)
	}
	return fresh
}

// leave is the end of one take.
func (c *commons) leave(x *common) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.heads == 0 {
		return
	}
	if x.heads--; x.heads == 0 {
		c.of(x.covers).Delete(x.covers.Newest())
	}
}
