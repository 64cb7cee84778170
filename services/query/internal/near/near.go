// Package near brings cosines of several models onto one scale, so that what is near by
// one can stand beside what is near by another.
package near

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// Query is a question as the vectors of a collection are held against it.
type Query struct {
	Vector embed.Vector
	Scale  Scale
}

// Scale takes cosines to another scale. The zero Scale leaves them as they are.
type Scale struct{ times, plus float64 }

// Of is a cosine on the scale.
func (s Scale) Of(cosine float64) float64 {
	if s == (Scale{}) {
		return cosine
	}
	return s.plus + s.times*cosine
}

// Onto takes cosines of a question with the vectors of one model to the scale of
// another. What passages that have nothing to do with the question have is known of both:
// that is level, and so is what stands out of it as far. Where it is not known, cosines
// stay as they are.
func Onto(of, other contract.Background) Scale {
	if of == other || of.Deviation <= 0 || other.Deviation <= 0 {
		return Scale{}
	}
	times := other.Deviation / of.Deviation
	return Scale{times: times, plus: other.Mean - times*of.Mean}
}
