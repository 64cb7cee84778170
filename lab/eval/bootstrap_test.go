package eval

import (
	"math"
	"strconv"
	"testing"
)

// rowsOfValues have the value in every measure.
func rowsOfValues(values ...float64) []Measures {
	out := make([]Measures, len(values))
	for i, v := range values {
		for m := range out[i] {
			out[i][m] = v
		}
	}
	return out
}

func alternating(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i % 2)
	}
	return out
}

// Of n coins the mean has the standard error 0.5/√n, and 95 % lie within 1.96
// of these.
func TestInterval_HasItsWidth(t *testing.T) {
	const n = 400
	got, by := bootstrap(rowsOfValues(alternating(n)...), make([]string, n))
	half := 1.96 * .5 / math.Sqrt(n)
	e := got[MRR]
	if by != ByTask || e.Value != .5 || math.Abs(e.High-(.5+half)) > .2*half || math.Abs(e.Low-(.5-half)) > .2*half {
		t.Errorf("%+v by %s, want 0.5 ± %.3f", e, by, half)
	}
	again, _ := bootstrap(rowsOfValues(alternating(n)...), make([]string, n))
	if got != again {
		t.Error("a second run has other intervals")
	}
	if same, _ := bootstrap(rowsOfValues(.3, .3, .3), make([]string, 3)); same[Hit1] != (Estimate{.3, .3, .3}) && math.Abs(same[Hit1].High-.3) > tiny {
		t.Errorf("of equal values: %+v", same[Hit1])
	}
	if none, _ := bootstrap(nil, nil); none != ([measures]Estimate{}) {
		t.Errorf("of nothing: %+v", none)
	}
}

// Tasks of one repository tell the same thing many times: 16 groups of 25 equal
// tasks know as little as 16 tasks.
func TestAlikeTasks_CountAsOneGroup(t *testing.T) {
	var values []float64
	var groups []string
	for g := range 16 {
		for range 25 {
			values, groups = append(values, float64(g%2)), append(groups, strconv.Itoa(g))
		}
	}
	got, by := bootstrap(rowsOfValues(values...), groups)
	half := 1.96 * .5 / math.Sqrt(16)
	if e := got[MRR]; by != ByGroup || math.Abs(e.High-e.Low-2*half) > .3*half {
		t.Errorf("%+v by %s, want a width of %.3f", e, by, 2*half)
	}
	if _, by := bootstrap(rowsOfValues(1, 0, 1), []string{"a", "b", "c"}); by != ByTask {
		t.Errorf("three groups are resampled by %s", by)
	}
}

func TestQuantile_IsThatOfItsDefinition(t *testing.T) {
	for q, want := range map[float64]float64{0: 1, .25: 2, .5: 3, .9: 4.6, 1: 5} {
		if got := quantile([]float64{1, 2, 3, 4, 5}, q); !near(got, want) {
			t.Errorf("%v: %v, want %v", q, got, want)
		}
	}
}

// Ten tasks that are all better by the same have two of 1,024 signs that are as
// extreme.
func TestPermutationTest_HasItsP(t *testing.T) {
	before, now := rowsOfValues(make([]float64, 10)...), rowsOfValues(.1, .1, .1, .1, .1, .1, .1, .1, .1, .1)
	got, _ := pair(now, before, make([]string, 10))
	if p := got[MRR]; math.Abs(p.P-2./1024) > .001 || p.Wins != 10 || p.Losses != 0 || !near(p.Difference.Value, .1) {
		t.Errorf("%+v, want p of %.4f", p, 2./1024)
	}
	same, _ := pair(now, now, make([]string, 10))
	if p := same[MRR]; p.P != 1 || p.Ties != 10 || p.Difference.Value != 0 {
		t.Errorf("of the same: %+v", p)
	}
	// +1 and -1: every assignment of signs is as extreme as 0.
	mixed, _ := pair(rowsOfValues(1, 0), rowsOfValues(0, 1), make([]string, 2))
	if p := mixed[MRR]; p.P != 1 || p.Wins != 1 || p.Losses != 1 {
		t.Errorf("of one better and one worse: %+v", p)
	}
}

func TestAlikeTasks_MakeNoDifferenceSignificant(t *testing.T) {
	var now, before []float64
	var groups []string
	for g := range 6 {
		for range 50 {
			now, before, groups = append(now, .2), append(before, 0), append(groups, strconv.Itoa(g))
		}
	}
	got, by := pair(rowsOfValues(now...), rowsOfValues(before...), groups)
	if p := got[Hit1].P; by != ByGroup || math.Abs(p-2./64) > .01 {
		t.Errorf("p %.4f by %s, want %.4f", p, by, 2./64)
	}
}
