package adapt

import (
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/embed/static/train"
)

const (
	// nearFrom and nearTo are the ranks of the wrong passages that stand beside a
	// question: before them are too often others that answer it as well.
	nearFrom, nearTo = 2, 20
	// nearAmong is about how many passages they are looked for among.
	nearAmong = 20_000
)

// addNear gives every pair to learn from passages that the rows take for its
// answer and that are of another file.
func (b *book) addNear(ctx context.Context, o *Options, c *train.Corpus, rows []float32) error {
	var among []int
	var bags []static.Bag
	for _, p := range c.Wrong {
		if sampled(o, b, p, nearAmong, len(c.Wrong)) {
			among, bags = append(among, p), append(bags, b.passages[p].bag)
		}
	}
	questions := make([]static.Bag, len(c.Fit))
	for i, p := range c.Fit {
		questions[i] = p.Question
	}
	return train.NewIndex(rows, bags).Each(ctx, questions, func(i int, scores []float32) error {
		pair := &c.Fit[i]
		near := nearest(scores)
		for _, place := range near[min(nearFrom, len(near)):min(nearTo, len(near))] {
			p := among[place]
			if !slices.Contains(pair.Passages, p) && b.passages[p].file != b.passages[pair.Passages[0]].file {
				pair.Wrong = append(pair.Wrong, p)
			}
		}
		return nil
	})
}
