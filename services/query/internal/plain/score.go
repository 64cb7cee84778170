package plain

import (
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// Scale tells what a term is worth on the scale of the lexical sink. A term
// that no store knows is worth more than any that one knows: it is a new word.
type Scale interface {
	// IDF of the query's term i.
	IDF(i int) float64
}

// rate scores passages by BM25 (see store.Lexical), with the average length of
// those that match.
func rate(all []passage, terms []store.Term, scale Scale) []candidate.Found {
	if len(all) == 0 {
		return nil
	}
	worth := make([]float64, len(terms))
	for i, t := range terms {
		worth[i] = t.Weight * scale.IDF(i)
	}
	total := 0
	for i := range all {
		total += all[i].length
	}
	average := float64(total) / float64(len(all))
	out := make([]candidate.Found, len(all))
	for i := range all {
		p := &all[i]
		norm := store.K1 * (1 - store.B + store.B*float64(p.length)/average)
		for k, n := range p.counts {
			tf := float64(n)
			p.found.Score += worth[k] * tf * (store.K1 + 1) / (tf + norm)
		}
		out[i] = p.found
	}
	return out
}
