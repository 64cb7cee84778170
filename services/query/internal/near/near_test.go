package near

import (
	"math"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Cosines of a model that squeezes them between .8 and .9 say the same as those of one
// that spreads them, once they are on its scale.
func TestCosinesOfAnotherModel_StandWhereTheirOwnWould(t *testing.T) {
	wide := contract.Background{Mean: .1, Deviation: .05}
	squeeze := func(cosine float64) float64 { return .8 + .1*cosine }
	narrow := contract.Background{Mean: squeeze(wide.Mean), Deviation: .1 * wide.Deviation}
	scale := Onto(narrow, wide)
	for _, cosine := range []float64{-.2, 0, .1, .5, .9} {
		if got := scale.Of(squeeze(cosine)); math.Abs(got-cosine) > 1e-9 {
			t.Errorf("%g comes back as %g", cosine, got)
		}
	}
	if got := Onto(wide, wide).Of(.3); got != .3 {
		t.Errorf("of one model %g", got)
	}
	if got := Onto(contract.Background{}, wide).Of(.3); got != .3 {
		t.Errorf("of what is not known %g", got)
	}
}
