package resolve

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// PerFile bounds the hits of one file among ten, by what it holds; 0 for any
// number. Sections of one long document answer different questions, passages of
// one source file seldom do.
type PerFile struct {
	Code, Docs int
	// Whole bounds them among all hits, not among ten.
	Whole bool
}

// Of returns the bound for passages of a generation.
func (p PerFile) Of(g document.Generation) int {
	if contract.CollectionOf(g).Prose() {
		return p.Docs
	}
	return p.Code
}

// Spread bounds the hits of one file among ten again, after passages that may
// be shown were put into another order: what is too many waits for the next
// ten. held is what has no place at all.
func Spread(list []Shown, limit PerFile, named func(document.Path) bool) (spread, held []Shown) {
	p := page{limit: limit, named: named}
	for i := range list {
		spread = p.put(spread, list[i])
	}
	spread = p.flush(spread)
	return spread, p.held
}

// page spreads the hits of one file: at most limit of each ten are of the same
// file, unless the caller named it.
type page struct {
	limit PerFile
	named func(document.Path) bool
	held  []Shown // that wait for the next ten
}

const pageSize = 10

// mostHeld is how many passages wait at most for each one that is asked for: where one
// large document has all that is found, thousands would be shown for nothing.
const mostHeld = 16

// put appends a hit, or holds it back until its file may stand again.
func (p *page) put(list []Shown, n Shown) []Shown {
	if len(list)%pageSize == 0 && len(list) > 0 {
		list = p.flush(list)
	}
	if p.full(list, &n) {
		p.held = append(p.held, n)
		return list
	}
	return append(list, n)
}

// passes reports whether a passage of a file that has its share need not be looked at:
// as many better ones of such files wait as can be of use.
func (p *page) passes(list []Shown, enough int, c *candidate.Candidate) bool {
	if len(p.held) < enough {
		return false
	}
	return p.full(list, &Shown{Candidate: *c, Head: contract.FileHead{Source: c.Attrs.Source, Doc: c.Attrs.Doc, Path: c.Attrs.Path}})
}

// holds reports whether the passage that was put last is held back.
func (p *page) holds(id document.ChunkID) bool {
	return len(p.held) > 0 && p.held[len(p.held)-1].Candidate.ID == id
}

// flush appends what may stand again of what was held back.
func (p *page) flush(list []Shown) []Shown {
	held := p.held
	p.held = nil
	for i := range held {
		if p.full(list, &held[i]) {
			p.held = append(p.held, held[i])
			continue
		}
		list = append(list, held[i])
	}
	return list
}

func (p *page) full(list []Shown, n *Shown) bool {
	limit := p.limit.Of(n.Candidate.Generation)
	if limit == 0 || p.named != nil && p.named(n.Head.Path) {
		return false
	}
	same := 0
	first := len(list) / pageSize * pageSize
	if p.limit.Whole {
		first = 0
	}
	for i := first; i < len(list); i++ {
		if list[i].Head.Source == n.Head.Source && list[i].Head.Doc == n.Head.Doc {
			same++
		}
	}
	return same >= limit
}
