package train

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/static"
)

// Run trains from the rows of a table, which it does not change. It computes
// with two goroutines; its only errors are that of ctx, and InvalidRequest for a
// corpus without pairs.
func Run(ctx context.Context, start []float32, c Corpus, o Options) (Result, error) {
	o.SetDefaults()
	if len(c.Fit) < 2 || len(c.Dev) == 0 {
		return Result{}, document.Errorf(document.InvalidRequest, "there are %d pairs to learn from and %d to stop by: name more documented code or prose", len(c.Fit), len(c.Dev))
	}
	t := newTrainer(start, &c, &o)
	first, err := t.dev(ctx, start)
	if err != nil {
		return Result{}, err
	}
	r := Result{Rows: start, Dev: []float64{first}}
	steps := (len(c.Fit) + t.o.Batch - 1) / t.o.Batch
	for epoch := 1; epoch <= o.Epochs && epoch-r.Best <= o.Patience; epoch++ {
		order := t.random.Perm(len(c.Fit))
		loss := 0.0
		for step := range steps {
			if err := ctx.Err(); err != nil {
				return Result{}, err
			}
			// Parts of nearly the same size, rather than a small one at the end.
			part := order[step*len(order)/steps : (step+1)*len(order)/steps]
			left := 1 - float64((epoch-1)*steps+step)/float64(o.Epochs*steps)
			loss += t.learn(part, o.Rate*left) * float64(len(part)) / float64(len(order))
			o.Progress(epoch, step+1, steps)
		}
		score, err := t.dev(ctx, t.table.rows)
		if err != nil {
			return Result{}, err
		}
		r.Loss, r.Dev = append(r.Loss, loss), append(r.Dev, score)
		if score > r.Dev[r.Best] {
			r.Best = epoch
			r.Rows = append([]float32(nil), t.table.rows...)
		}
	}
	return r, nil
}

// trainer is what the steps share.
type trainer struct {
	c        *Corpus
	o        *Options
	table    *table
	contrast contrast
	random   *rand.Rand

	bags  []static.Bag // of a batch
	shown []int        // its passages by index
	asked [][]int      // right passages of its questions

	among     []static.Bag
	questions []static.Bag
	right     [][]int // of Dev, places in among
}

func newTrainer(start []float32, c *Corpus, o *Options) *trainer {
	t := &trainer{c: c, o: o, table: newTable(start), random: rand.New(rand.NewPCG(o.Seed, 0))}
	t.contrast.temperature = o.Temperature
	t.contrast.void = t.void
	at := map[int]int{}
	for _, p := range c.Among {
		at[p] = len(t.among)
		t.among = append(t.among, c.Passages[p])
	}
	for _, pair := range c.Dev {
		var places []int
		for _, p := range pair.Passages {
			if place, ok := at[p]; ok {
				places = append(places, place)
			}
		}
		if len(places) > 0 {
			t.questions, t.right = append(t.questions, pair.Question), append(t.right, places)
		}
	}
	return t
}

// dev is the score of a table on what nothing is learnt from.
func (t *trainer) dev(ctx context.Context, rows []float32) (float64, error) {
	return NewIndex(rows, t.among).reciprocal(ctx, t.questions, t.right)
}

// learn takes one step, and returns the loss before it.
func (t *trainer) learn(part []int, rate float64) float64 {
	n := len(part)
	t.bags, t.shown, t.asked = t.bags[:0], t.shown[:0], t.asked[:0]
	for _, i := range part {
		t.bags = append(t.bags, t.thinned(t.c.Fit[i].Question))
		t.asked = append(t.asked, t.c.Fit[i].Passages)
	}
	for _, i := range part {
		t.shown = append(t.shown, t.c.Fit[i].Passages[0])
	}
	for _, i := range part {
		if near := t.c.Fit[i].Wrong; len(near) > 0 {
			t.shown = append(t.shown, near[t.random.IntN(len(near))])
		}
	}
	for range min(t.o.Wrong, len(t.c.Wrong)) {
		t.shown = append(t.shown, t.c.Wrong[t.random.IntN(len(t.c.Wrong))])
	}
	for _, p := range t.shown {
		t.bags = append(t.bags, t.thinned(t.c.Passages[p]))
	}
	m := len(t.shown)
	questions, passages := t.bags[:n], t.bags[n:]
	t.fill(&t.contrast.questions, questions)
	t.fill(&t.contrast.passages, passages)
	loss := t.contrast.run(n, m)
	t.table.scatter(questions, t.contrast.questions.grads)
	t.table.scatter(passages, t.contrast.passages.grads)
	t.table.step(rate, max(t.o.Pull, 0))
	return loss
}

func (t *trainer) fill(s *side, bags []static.Bag) {
	s.resize(len(bags))
	each(len(bags), func(from, to int) {
		for i := from; i < to; i++ {
			sum(s.sums[i*dims:(i+1)*dims], t.table.rows, bags[i])
		}
	})
}

// thinned leaves tokens out by chance.
func (t *trainer) thinned(b static.Bag) static.Bag {
	if t.o.Dropout <= 0 {
		return b
	}
	keep := static.Bag{IDs: make([]int32, 0, len(b.IDs)), Weights: make([]float32, 0, len(b.IDs))}
	limit := uint64(t.o.Dropout * math.MaxUint32)
	for i, id := range b.IDs {
		if t.random.Uint64()&math.MaxUint32 >= limit {
			keep.IDs, keep.Weights = append(keep.IDs, id), append(keep.Weights, b.Weights[i])
		}
	}
	return keep
}

// void tells that a passage answers a question that it does not stand beside,
// or stands in the batch for another question, too.
func (t *trainer) void(question, passage int) bool {
	p := t.shown[passage]
	for _, right := range t.asked[question] {
		if right == p {
			return true
		}
	}
	return false
}
