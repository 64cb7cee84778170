package plain

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
)

// Scale tells what a term is worth on the scale of the lexical sink.
type Scale interface {
	// Worth returns the idf of each term as that sink counts it, times the
	// term's weight.
	Worth(ctx context.Context, terms []store.Term) []float64
}

// typicalPart is the factor tf·(K1+1)/(tf + …) of the best passage for one
// term, which lies between 1 (once, in a passage of average length) and K1+1.
const typicalPart = 1.5

// Probe is a Scale that asks lexical stores for the best passage of each term
// alone: a store tells no statistics, but that score is the term's idf times a
// factor between 1 and K1+1, which typicalPart stands for.
type Probe struct {
	Stores map[document.Generation]recall.Lexical
	// Chunks is the number of passages in the stores.
	Chunks int
	// Terms bounds how many terms are asked for; the rest counts as ordinary.
	Terms int
}

// Worth implements Scale. A term that no store knows is worth more than any
// that one knows: it is a new word.
func (p *Probe) Worth(ctx context.Context, terms []store.Term) []float64 {
	worth := make([]float64, len(terms))
	var group errgroup.Group
	group.SetLimit(2)
	for i := range terms[:min(len(terms), p.Terms)] {
		group.Go(func() error {
			for _, s := range p.Stores {
				hits, err := s.Search(ctx, []store.Term{{Token: terms[i].Token, Weight: 1}}, store.Filter{}, 1)
				if err == nil && len(hits) > 0 {
					worth[i] = max(worth[i], hits[0].Score/typicalPart)
				}
			}
			return nil
		})
	}
	_ = group.Wait() // a store that fails tells nothing; the terms count alike then
	most := 0.0
	for _, w := range worth {
		most = max(most, w)
	}
	// The idf of a term without passages, halved since a store may leave the
	// factor K1+1 out of its scores.
	unknown := max(most*1.5, math.Log(1+(float64(p.Chunks)+0.5)/0.5)/2)
	for i := range worth {
		if worth[i] == 0 {
			worth[i] = unknown
		}
		if i >= p.Terms {
			worth[i] = most / 2
		}
		worth[i] *= terms[i].Weight
	}
	return worth
}

// rate scores passages by BM25 (see store.Lexical), with the average length of
// those that match.
func rate(ctx context.Context, all []passage, terms []store.Term, scale Scale) []candidate.Found {
	if len(all) == 0 {
		return nil
	}
	worth := scale.Worth(ctx, terms)
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
