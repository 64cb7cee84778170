package lambdamart

import (
	"cmp"
	"math"
	"slices"
)

// depth is the k of NDCG@k that the trees are grown for.
const depth = 10

var discounts = func() (d [depth]float64) {
	for i := range d {
		d[i] = 1 / math.Log2(float64(i+2))
	}
	return d
}()

func discount(rank int) float64 {
	if rank < depth {
		return discounts[rank]
	}
	return 0
}

// ideal is the DCG of the best order.
func ideal(gains []float64) float64 {
	sorted := slices.Clone(gains)
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	sum := 0.0
	for i, g := range sorted[:min(len(sorted), depth)] {
		sum += g * discounts[i]
	}
	return sum
}

// ordered returns the rows of a query best first; equal ones stay as they were.
func ordered(scores []float64) []int {
	out := make([]int, len(scores))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return out
}

// meanNDCG is that of NDCG@10 over the queries that have something to find.
func meanNDCG(queries []Query, scores [][]float64) float64 {
	sum, n := 0.0, 0
	for i := range queries {
		best := ideal(queries[i].Gains)
		if best == 0 {
			continue
		}
		n++
		for rank, row := range ordered(scores[i]) {
			if rank == depth {
				break
			}
			sum += queries[i].Gains[row] * discounts[rank] / best
		}
	}
	return sum / float64(max(n, 1))
}
