package calibrate

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/freshet-dev/freshet/pkg/confidence"
)

// drawn are samples of which the probability is known: that of a sum of two
// pieces of evidence, bent by curve.
func drawn(n int, curve func(float64) float64) (samples []Sample, truth []float64) {
	rng := rand.New(rand.NewSource(7))
	for i := range n {
		a, b := rng.Float64(), rng.Float64()
		p := curve(6*a - 4*b - 1)
		samples = append(samples, Sample{
			Group: fmt.Sprint(i % 40), Evidence: map[string]float64{"a": a, "b": b, "same": .5, "copy": a},
			Right: rng.Float64() < p,
		})
		truth = append(truth, p)
	}
	return samples, truth
}

func TestFit_IsNearTheTruth(t *testing.T) {
	for name, curve := range map[string]func(float64) float64{
		"logistic":     confidence.Logistic,
		"not logistic": func(x float64) float64 { return .1 + .5*confidence.Logistic(5*x) },
	} {
		samples, truth := drawn(6000, curve)
		m, held := Fit(samples)
		var far, farHeld float64
		for i, s := range samples {
			far += math.Abs(m.P(s.Evidence)-truth[i]) / float64(len(samples))
			farHeld += math.Abs(held[i]-truth[i]) / float64(len(samples))
		}
		if far > .03 || farHeld > .03 {
			t.Errorf("%s: %.3f off on the mean, %.3f for groups not seen", name, far, farHeld)
		}
		for _, w := range m.Weights {
			if w.Name == "same" {
				t.Errorf("%s: evidence that is always the same weighs %v", name, w.By)
			}
		}
	}
}

func TestFitOfOneGroupOrOneOutcome_Succeeds(t *testing.T) {
	samples, _ := drawn(200, confidence.Logistic)
	for i := range samples {
		samples[i].Group = "one"
	}
	Fit(samples)
	for i := range samples {
		samples[i].Right = true
	}
	if m, _ := Fit(samples); !(m.P(samples[0].Evidence) > .9) {
		t.Errorf("always right, and %v", m.P(samples[0].Evidence))
	}
}

func TestCurve_NeverFalls(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	var all []scored
	for range 2000 {
		all = append(all, scored{math.Round(rng.NormFloat64()*8) / 8, rng.Float64() < .4})
	}
	points := isotonic(all)
	for i := 1; i < len(points); i++ {
		if points[i].At <= points[i-1].At || points[i].P <= points[i-1].P {
			t.Errorf("%v after %v", points[i], points[i-1])
		}
	}
	if got := isotonic(all[:3]); len(got) != 1 {
		t.Errorf("%d levels of three samples", len(got))
	}
	if got := isotonic(nil); got != nil {
		t.Errorf("%v of nothing", got)
	}
}

func TestReliability_IsThatOfItsDefinition(t *testing.T) {
	samples := []Sample{{Right: true}, {Right: true}, {}, {Unanswerable: true}, {Unanswerable: true}}
	said := []float64{.95, .25, .25, .05, .45}
	r := reliability(samples, said)
	if len(r.Bins) != 4 || r.Bins[1] != (Bin{2, .25, .5}) || math.Abs(r.Base-.24) > 1e-9 {
		t.Errorf("%+v", r)
	}
	if want := (.05*.05 + .75*.75 + .25*.25 + .05*.05 + .45*.45) / 5; math.Abs(r.Brier-want) > 1e-9 {
		t.Errorf("Brier %v, want %v", r.Brier, want)
	}
	if want := (.05 + .5 + .05 + .45) / 5; math.Abs(r.Error-want) > 1e-9 {
		t.Errorf("error %v, want %v", r.Error, want)
	}
	a := abstain(samples, said, .3)
	if a.Said != 3 || math.Abs(a.Precision-1./3) > 1e-9 || a.Recall != .5 || a.Wrong != .5 || math.Abs(a.Empty-2./3) > 1e-9 {
		t.Errorf("%+v", a)
	}
}
