// Package rank puts the candidates of the channels into one order: fusion,
// then the signals of name, place and neighbourhood.
package rank

import (
	"fmt"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
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

// Shares are the vector channel's in what is fused, by what a passage is.
type Shares struct{ Code, Prose float64 }

// VectorShares returns those for a class of query.
func VectorShares(c analysis.Class, w *Weights) Shares {
	switch c {
	case analysis.Symbol:
		return Shares{w.VectorSymbol, w.VectorSymbol}
	case analysis.Path:
		return Shares{w.VectorPath, w.VectorPath}
	case analysis.Error:
		return Shares{w.VectorError, w.VectorError}
	}
	return Shares{w.VectorNatural, w.VectorProse}
}

// String is the shares as a trace tells them.
func (s Shares) String() string {
	if s.Code == s.Prose {
		return fmt.Sprintf("vector share %.2f", s.Code)
	}
	return fmt.Sprintf("vector share %.2f, in prose %.2f", s.Code, s.Prose)
}

// of is the share for one candidate.
func (s Shares) of(c *candidate.Candidate) float64 {
	if contract.CollectionOf(c.Generation).Prose() {
		return s.Prose
	}
	return s.Code
}
