package calibrate

import (
	"fmt"
	"testing"

	"github.com/freshet-dev/freshet/pkg/confidence"
)

// said are answers of one set: n of them, of which right are right, all said to be p.
func said(set string, n, right int, p float64) (samples []Sample, ps []float64) {
	for i := range n {
		samples = append(samples, Sample{Set: set, Evidence: map[string]float64{"cover": p}, Right: i < right})
		ps = append(ps, p)
	}
	return samples, ps
}

// join puts lists of said behind each other.
func join(to *[]Sample, ps *[]float64, set string, n, right int, p float64) {
	s, q := said(set, n, right, p)
	*to, *ps = append(*to, s...), append(*ps, q...)
}

func TestLow_SparesAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		add  func(to *[]Sample, ps *[]float64)
		want float64
	}{
		"that are right more often than not": {func(to *[]Sample, ps *[]float64) { join(to, ps, "a", 20, 19, .195) }, .19},
		"of which too many are right":        {func(to *[]Sample, ps *[]float64) { join(to, ps, "a", 200, 30, .195) }, .19},
		"that are right in one set of two": {func(to *[]Sample, ps *[]float64) {
			join(to, ps, "b", 180, 4, .195)
			join(to, ps, "c", 50, 11, .195)
		}, .19},
		"that are empty":               {func(to *[]Sample, ps *[]float64) { join(to, ps, "a", 200, 2, .195) }, .3},
		"that are right in a tiny set": {func(to *[]Sample, ps *[]float64) { join(to, ps, "b", 180, 2, .195); join(to, ps, "c", 4, 2, .195) }, .3},
	} {
		var samples []Sample
		var ps []float64
		join(&samples, &ps, "a", 60, 0, .055)
		join(&samples, &ps, "a", 400, 400, .305)
		c.add(&samples, &ps)
		if got := low(samples, ps); got != c.want {
			t.Errorf("%s: it is said below %v, not below %v", name, got, c.want)
		}
	}
	if got := low(said("a", 60, 60, .05)); got != 0 {
		t.Errorf("what is always right is nothing below %v", got)
	}
}

// Sentences of one set alone are never right, so that its own limit would call them
// nothing; the others, which it is judged by, are.
func TestLimit_IsJudgedBySetsThatItHasNotSeen(t *testing.T) {
	var samples []Sample
	var ps []float64
	join(&samples, &ps, "own", 60, 0, .2)
	for i := range 30 {
		join(&samples, &ps, fmt.Sprint("other", i), 60, 30, .2)
	}
	c := &confidence.Calibration{}
	for i, no := range nothing(c, samples, ps) {
		if no {
			t.Fatalf("%s, with %.2f", samples[i].Set, ps[i])
		}
	}
}

// A name that is hardly ever right below .4 has another limit than sentences.
func TestNames_HaveALimitOfTheirOwn(t *testing.T) {
	var samples []Sample
	var ps []float64
	for i := range 40 {
		set := fmt.Sprint("set", i)
		join(&samples, &ps, set, 20, 1, .1)
		join(&samples, &ps, set, 20, 20, .4)
		for _, p := range []float64{.3, .9} {
			for range 20 {
				samples = append(samples, Sample{Set: set, Evidence: map[string]float64{confidence.Symbol: 1}, Right: p > .5})
				ps = append(ps, p)
			}
		}
	}
	c := &confidence.Calibration{Kinds: map[string]confidence.Kind{confidence.Name: {}, confidence.Sentence: {}}}
	lowOfKinds(c, samples, ps)
	if name, sentence := c.Kinds[confidence.Name].Low, c.Kinds[confidence.Sentence].Low; name != .5 || sentence != .4 {
		t.Errorf("names %v, sentences %v", name, sentence)
	}
	for i, no := range nothing(c, samples, ps) {
		if no != (ps[i] == .1 || ps[i] == .3) {
			t.Fatalf("%v of %.1f", no, ps[i])
		}
	}
}
