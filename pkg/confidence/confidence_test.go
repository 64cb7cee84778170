package confidence

import (
	"math"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestProbability_IsThatOfTheModel(t *testing.T) {
	m := Model{Bias: -1, Weights: []Weight{{"cover", 2}, {"gap", 1}}}
	for name, c := range map[string]struct {
		evidence map[string]float64
		want     float64
	}{
		"nothing known":  {nil, Logistic(-1)},
		"both":           {map[string]float64{"cover": .5, "gap": 1, "other": 99}, Logistic(1)},
		"never certain":  {map[string]float64{"cover": 1e9}, Surest},
		"never hopeless": {map[string]float64{"cover": -1e9}, 1 - Surest},
	} {
		if got := m.P(c.evidence); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	m.Curve = []Point{{-1, .1}, {0, .3}, {2, .9}}
	for sum, want := range map[float64]float64{-5: .1, -1: .1, -.5: .2, 0: .3, 1: .6, 2: .9, 7: .9} {
		if got := m.At(sum); math.Abs(got-want) > 1e-12 {
			t.Errorf("at %v: %v, want %v", sum, got, want)
		}
	}
}

func TestWrongCalibration_IsRefused(t *testing.T) {
	const right = `{"answer":{"bias":0,"weights":[{"name":"a","by":1}]},"hit":{"bias":0,"weights":[{"name":"a","by":1}]},"passage":{"weights":[{"name":"a","by":1}]},"low":0.2}`
	if _, err := Parse([]byte(right)); err != nil {
		t.Error(err)
	}
	for name, text := range map[string]string{
		"no JSON":              `low`,
		"nothing":              `{}`,
		"no hits":              `{"answer":{"bias":0,"weights":[{"name":"a","by":1}]},"passage":{"weights":[{"name":"a","by":1}]},"low":0.2}`,
		"no passages":          `{"answer":{"weights":[{"name":"a","by":1}]},"hit":{"weights":[{"name":"a","by":1}]},"low":0.2}`,
		"a fall":               `{"answer":{"weights":[{"name":"a","by":1}],"curve":[{"at":0,"p":0.5},{"at":1,"p":0.4}]},"hit":{"weights":[{"name":"a","by":1}]},"passage":{"weights":[{"name":"a","by":1}]},"low":0.2}`,
		"a step back":          `{"answer":{"weights":[{"name":"a","by":1}],"curve":[{"at":1,"p":0.5},{"at":1,"p":0.6}]},"hit":{"weights":[{"name":"a","by":1}]},"passage":{"weights":[{"name":"a","by":1}]},"low":0.2}`,
		"above one":            `{"answer":{"weights":[{"name":"a","by":1}],"curve":[{"at":1,"p":1.5}]},"hit":{"weights":[{"name":"a","by":1}]},"passage":{"weights":[{"name":"a","by":1}]},"low":0.2}`,
		"low of two":           `{"answer":{"weights":[{"name":"a","by":1}]},"hit":{"weights":[{"name":"a","by":1}]},"passage":{"weights":[{"name":"a","by":1}]},"low":2}`,
		"low of two, of names": strings.TrimSuffix(right, "}") + `,"kinds":{"name":{"answer":{"weights":[{"name":"a","by":1}]},"hit":{"weights":[{"name":"a","by":1}]},"low":2}}}`,
	} {
		if _, err := Parse([]byte(text)); document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}
