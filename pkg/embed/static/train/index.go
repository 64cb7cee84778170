package train

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/embed/static"
)

// Index holds the vectors of passages under one table. It is safe for
// concurrent use.
type Index struct {
	rows    []float32
	vectors []float32
}

// NewIndex makes the vectors of passages with rows, which stay the caller's and
// may not change meanwhile.
func NewIndex(rows []float32, passages []static.Bag) *Index {
	x := &Index{rows: rows, vectors: make([]float32, len(passages)*dims)}
	each(len(passages), func(from, to int) {
		var v [dims]float32
		for i := from; i < to; i++ {
			sum(v[:], rows, passages[i])
			unit(x.vectors[i*dims:(i+1)*dims], v[:])
		}
	})
	return x
}

// together is how many questions go through the passages at once, so that these
// are fetched from memory once for all of them.
const together = 16

// Each calls visit for every question with the cosine of every passage. It is
// called from several goroutines at once; the scores belong to the visit. Its
// first error, or ctx's, ends it.
func (x *Index) Each(ctx context.Context, questions []static.Bag, visit func(question int, scores []float32) error) error {
	n := len(x.vectors) / dims
	g, ctx := errgroup.WithContext(ctx)
	for lane := range lanes {
		g.Go(func() error {
			var units [together][dims]float32
			scores := make([]float32, together*n)
			for from := lane * together; from < len(questions); from += lanes * together {
				if err := ctx.Err(); err != nil {
					return err
				}
				list := questions[from:min(from+together, len(questions))]
				for k, q := range list {
					var v [dims]float32
					sum(v[:], x.rows, q)
					unit(units[k][:], v[:])
				}
				for i := range n {
					vector := x.vectors[i*dims : (i+1)*dims]
					for k := range list {
						scores[k*n+i] = dot(units[k][:], vector)
					}
				}
				for k := range list {
					if err := visit(from+k, scores[k*n:(k+1)*n]); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// reciprocal is the mean of 1 / rank of the first right passage. right lists, for
// each question, the places of its passages in the index. The error is ctx's.
func (x *Index) reciprocal(ctx context.Context, questions []static.Bag, right [][]int) (float64, error) {
	ranks := make([]float64, len(questions))
	err := x.Each(ctx, questions, func(i int, scores []float32) error {
		ranks[i] = 1 / float64(rankOf(scores, right[i]))
		return nil
	})
	total := 0.0
	for _, r := range ranks {
		total += r
	}
	return total / float64(max(len(questions), 1)), err
}

// rankOf is the rank of the best of the places, behind others of its score: a
// question without tokens finds nothing.
func rankOf(scores []float32, places []int) int {
	best := scores[places[0]]
	for _, p := range places {
		best = max(best, scores[p])
	}
	rank := 1
	for _, s := range scores {
		if s >= best {
			rank++
		}
	}
	for _, p := range places {
		if scores[p] >= best {
			rank--
		}
	}
	return rank
}
