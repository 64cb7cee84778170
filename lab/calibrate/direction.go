package calibrate

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/confidence"
)

// speaks says for each kind of evidence whether more of it can only speak for
// an answer (+1) or against it (-1). What is not named here may speak either
// way.
var speaks = map[string]float64{
	"cover": 1, "text": 1, "name": 1, "cosine": 1, "together": 1, "both": 1,
	"defines": 1, "lexical_rank": 1, "vector_rank": 1, "rank": 1, "relative": 1,
	"first_cover": 1, "first_text": 1, "first_name": 1, "first_cosine": 1,
	"first_defines": 1, "first_lexical_rank": 1, "first_vector_rank": 1,
	"verbatim": 1, "named": 1, "placed": 1, "first_verbatim": 1, "first_named": 1, "first_placed": 1,
	"stem": 1, "first_stem": 1,
	"unknown": -1, "size": -1,
}

// directed fits a logistic regression in which no evidence speaks the other way
// than it can: several kinds say nearly the same, and a fit sets one against the
// other where the samples happen to allow it, which tells nothing of questions
// that are unlike them. The worst kind is left out, one after the other.
func directed(samples []Sample) confidence.Model {
	names := namesOf(samples)
	for {
		m := logistic(samples, names)
		worst, at := 0.0, -1
		for i, w := range m.Weights {
			if wrong := -w.By * speaks[w.Name] * deviation(samples, w.Name); wrong > worst {
				worst, at = wrong, i
			}
		}
		if at < 0 {
			return m
		}
		names = slices.Delete(names, at, at+1)
	}
}

// deviation is by how much a kind of evidence differs between samples.
func deviation(samples []Sample, name string) float64 {
	_, scale := moments(samples, []string{name})
	return scale[0]
}
