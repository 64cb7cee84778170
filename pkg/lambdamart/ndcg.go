package lambdamart

import (
	"cmp"
	"maps"
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

// ideal is the DCG of the best order: every goal at once.
func (q *Query) ideal() float64 {
	goals := map[int]float64{}
	for row, g := range q.Gains {
		goals[q.Goals[row]] = max(goals[q.Goals[row]], g)
	}
	sorted := slices.Sorted(maps.Values(goals))
	slices.Reverse(sorted)
	sum := 0.0
	for i, g := range sorted[:min(len(sorted), depth)] {
		sum += g * discounts[i]
	}
	return sum
}

// counted returns what each row is worth in an order.
func (q *Query) counted(order []int) []float64 {
	out := make([]float64, len(q.Gains))
	reached := map[int]bool{}
	for _, row := range order {
		if q.Gains[row] > 0 && !reached[q.Goals[row]] {
			reached[q.Goals[row]], out[row] = true, q.Gains[row]
		}
	}
	return out
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
		best := queries[i].ideal()
		if best == 0 {
			continue
		}
		n++
		order := ordered(scores[i])
		gains := queries[i].counted(order)
		for rank, row := range order[:min(len(order), depth)] {
			sum += gains[row] * discounts[rank] / best
		}
	}
	return sum / float64(max(n, 1))
}
