package rerank

import (
	"math"

	"github.com/freshet-dev/freshet/pkg/document"
)

// rating is one number of an answer, of the passage at an index of the request.
type rating struct {
	index *int
	score *float64
}

// place puts ratings in the order of n passages. There has to be exactly one
// for each: with fewer nobody knows what the others are worth.
func place(where string, ratings []rating, n int) ([]float64, error) {
	if len(ratings) != n {
		return nil, document.Errorf(document.Unavailable, "%s answers with %d ratings for %d passages", where, len(ratings), n)
	}
	out := make([]float64, n)
	seen := make([]bool, n)
	for _, r := range ratings {
		switch {
		case r.index == nil || *r.index < 0 || *r.index >= n:
			return nil, document.Errorf(document.Unavailable, "%s rates a passage that it was not sent", where)
		case seen[*r.index]:
			return nil, document.Errorf(document.Unavailable, "%s rates passage %d twice", where, *r.index)
		case r.score == nil || math.IsNaN(*r.score) || math.IsInf(*r.score, 0):
			return nil, document.Errorf(document.Unavailable, "%s gives passage %d no number", where, *r.index)
		}
		out[*r.index], seen[*r.index] = *r.score, true
	}
	return out, nil
}
