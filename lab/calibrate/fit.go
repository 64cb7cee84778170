package calibrate

import (
	"cmp"
	"hash/fnv"

	"github.com/freshet-dev/freshet/pkg/confidence"
)

// folds is how many parts the groups are put into.
const folds = 10

// foldOf is the same for a set, or a group of none, whatever else there is, so that two
// runs can be compared.
func foldOf(s *Sample) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(cmp.Or(s.Set, s.Group)))
	return int(h.Sum32() % folds)
}

// Fit makes a model of all samples: a logistic regression, corrected by an
// isotonic curve over sums that each came from a regression without the
// sample's own group. held are the probabilities of the samples, in their
// order, of models that have not seen their group at all.
func Fit(samples []Sample) (m confidence.Model, held []float64) {
	all := make([]scored, len(samples))
	for f := range folds {
		part := directed(outside(samples, f))
		for i, s := range samples {
			if foldOf(&s) == f {
				all[i] = scored{part.Sum(s.Evidence), s.Right}
			}
		}
	}
	held = make([]float64, len(samples))
	for f := range folds {
		var rest []scored
		for i, s := range samples {
			if foldOf(&s) != f {
				rest = append(rest, all[i])
			}
		}
		curve := confidence.Model{Curve: isotonic(rest)}
		for i, s := range samples {
			if foldOf(&s) == f {
				held[i] = curve.At(all[i].sum)
			}
		}
	}
	m = directed(samples)
	m.Curve = isotonic(all)
	return m, held
}

// outside returns the samples that are not in a fold; all where that is none.
func outside(samples []Sample, fold int) []Sample {
	var out []Sample
	for _, s := range samples {
		if foldOf(&s) != fold {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return samples
	}
	return out
}
