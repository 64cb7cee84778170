package speed

import (
	"slices"
	"time"
)

// Spread is a distribution of delays in milliseconds. Quantiles are by
// nearest rank.
type Spread struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
	// Late counts what did not come within the limit and is in no quantile.
	Late int `json:"late,omitempty"`
}

func spreadOf(delays []time.Duration, late int) Spread {
	s := Spread{N: len(delays), Late: late}
	if len(delays) == 0 {
		return s
	}
	sorted := slices.Clone(delays)
	slices.Sort(sorted)
	rank := func(q float64) float64 {
		i := int(q*float64(len(sorted))+0.9999999) - 1
		return milliseconds(sorted[min(max(i, 0), len(sorted)-1)])
	}
	s.P50, s.P99, s.Max = rank(0.50), rank(0.99), milliseconds(sorted[len(sorted)-1])
	return s
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
