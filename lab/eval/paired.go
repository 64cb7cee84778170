package eval

import (
	"math"
	"math/rand/v2"
)

// permutations is how often the signs are drawn: the least p is 1 in 10,001.
const permutations = 10_000

// Paired is how much two systems differ on the same tasks.
type Paired struct {
	Difference Estimate `json:"difference"` // now minus before
	// P is the share of exchanges of the two systems, task by task or group by
	// group, that make a difference at least as large: a two-sided permutation
	// test of no difference.
	P      float64 `json:"p"`
	Wins   int     `json:"wins"` // tasks that are better now
	Losses int     `json:"losses"`
	Ties   int     `json:"ties"`
}

// pair compares now with before, row by row.
func pair(now, before []Measures, groups []string) ([measures]Paired, string) {
	rows := make([]Measures, len(now))
	var out [measures]Paired
	for i := range now {
		for m := range rows[i] {
			d := now[i][m] - before[i][m]
			rows[i][m] = d
			switch {
			case d > tiny:
				out[m].Wins++
			case d < -tiny:
				out[m].Losses++
			default:
				out[m].Ties++
			}
		}
	}
	intervals, by := bootstrap(rows, groups)
	units, _ := unitsOf(rows, groups)
	p := permuted(units)
	for m := range out {
		out[m].Difference, out[m].P = intervals[m], p[m]
	}
	return out, by
}

// tiny is below any difference of measures that is not of rounding.
const tiny = 1e-9

// permuted returns the p of each measure. The observed assignment counts as one
// of those drawn, so that no p is 0 (Phipson and Smyth, 2010).
func permuted(units []unit) Measures {
	var observed Measures
	for _, u := range units {
		for m, v := range u.sum {
			observed[m] += v
		}
	}
	var extreme Measures
	random := rand.New(rand.NewPCG(seed, seed))
	for range permutations {
		var sum Measures
		for _, u := range units {
			sign := float64(1)
			if random.Uint64()&1 == 0 {
				sign = -1
			}
			for m, v := range u.sum {
				sum[m] += sign * v
			}
		}
		for m, v := range sum {
			if math.Abs(v) >= math.Abs(observed[m])-tiny {
				extreme[m]++
			}
		}
	}
	for m := range extreme {
		extreme[m] = (extreme[m] + 1) / (permutations + 1)
	}
	return extreme
}
