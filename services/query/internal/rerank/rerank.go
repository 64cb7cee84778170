// Package rerank looks at the best passages of an answer once more, together
// with the question, and blends what it finds with the order that they had.
package rerank

import (
	"context"
	"slices"
)

// Reranker rates passages against a query. Implementations are safe for
// concurrent use.
type Reranker interface {
	// Rate returns one finite number per passage, in the order of the passages;
	// larger is better, and nothing else is said of the scale. An error says in
	// one sentence why there are none.
	Rate(ctx context.Context, query string, passages []string) ([]float64, error)
}

// blendConstant is that of reciprocal rank fusion (Cormack, Clarke and
// Büttcher 2009).
const blendConstant = 60

// Blend returns the new order of passages that stood in the order 0, 1, 2, …
// and were given scores. It is by ranks, since the scales of two rerankers have
// nothing in common: (1 − weight)/(60 + old rank) + weight/(60 + rank by
// score). With equal scores, and with equal sums, the old order holds.
func Blend(scores []float64, weight float64) []int {
	byScore := upTo(len(scores))
	slices.SortStableFunc(byScore, func(a, b int) int { return compare(scores[b], scores[a]) })
	sum := make([]float64, len(scores))
	for rank, i := range byScore {
		sum[i] = (1-weight)/float64(blendConstant+i+1) + weight/float64(blendConstant+rank+1)
	}
	order := upTo(len(scores))
	slices.SortStableFunc(order, func(a, b int) int { return compare(sum[b], sum[a]) })
	return order
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
