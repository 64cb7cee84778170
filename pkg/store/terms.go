package store

import (
	"math"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Distinct adds up the weights of equal terms, in the order in which they
// first appear; one is required where it is required once. A weight that is negative or not finite is an InvalidRequest.
func Distinct(terms []Term) ([]Term, error) {
	out := make([]Term, 0, len(terms))
	at := make(map[string]int, len(terms))
	for _, t := range terms {
		if !(t.Weight >= 0) || math.IsInf(t.Weight, 1) {
			return nil, document.Errorf(document.InvalidRequest, "the term %q has the weight %g: use a finite number that is not negative", t.Token, t.Weight)
		}
		if i, ok := at[t.Token]; ok {
			out[i].Weight += t.Weight
			out[i].Required = out[i].Required || t.Required
			continue
		}
		at[t.Token] = len(out)
		out = append(out, t)
	}
	return out, nil
}
