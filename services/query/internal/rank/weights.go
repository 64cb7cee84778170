// Package rank puts the candidates of the channels into one order: fusion,
// then the signals of name, place and neighbourhood.
package rank

import (
	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/config"
)

// Ways of fusion.
const (
	// RRF is reciprocal rank fusion: the sum over the channels of
	// weight / (constant + rank) (Cormack, Clarke and Büttcher 2009), stretched
	// to 0 to 1 over the candidates.
	RRF = "rrf"
	// Convex is (1 − a)·lexical/max + a·(vector − min)/(max − min).
	Convex = "convex"
)

// Weights are all numbers that the order of an answer depends on.
type Weights = config.Ranking

// VectorShare returns the vector channel's share for a class of query.
func VectorShare(c analysis.Class, w *Weights) float64 {
	switch c {
	case analysis.Symbol:
		return w.VectorSymbol
	case analysis.Path:
		return w.VectorPath
	case analysis.Error:
		return w.VectorError
	}
	return w.VectorNatural
}
