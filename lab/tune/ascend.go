package tune

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/config"
)

// leastGain is the gain of the mean for which a weight is changed. Below it
// lies what a few tasks decide.
const leastGain = .0005

// ascend turns one weight after the other to where the mean is highest, until a
// round brings nothing or rounds are over.
func ascend(ctx context.Context, questions []*Question, w config.Ranking, o *Options) (config.Ranking, error) {
	best, err := mean(ctx, questions, &w, o)
	if err != nil {
		return w, err
	}
	for range o.Rounds {
		changed := false
		try := func(change func(*config.Ranking)) error {
			x := w
			change(&x)
			m, err := mean(ctx, questions, &x, o)
			if err == nil && m > best+leastGain {
				best, w, changed = m, x, true
			}
			return err
		}
		for _, fusion := range []string{"convex", "rrf"} {
			if err := try(func(x *config.Ranking) { x.Fusion = fusion }); err != nil {
				return w, err
			}
		}
		for _, k := range knobs() {
			for _, value := range k.tries(k.get(&w)) {
				if err := try(func(x *config.Ranking) { k.set(x, value) }); err != nil {
					return w, err
				}
			}
		}
		if !changed {
			break
		}
	}
	return w, nil
}

// mean is that of the measure over the questions.
func mean(ctx context.Context, questions []*Question, w *config.Ranking, o *Options) (float64, error) {
	if len(questions) == 0 {
		return 0, nil
	}
	parts := min(runtime.GOMAXPROCS(0), len(questions))
	sums := make([]float64, parts)
	g, ctx := errgroup.WithContext(ctx)
	for part := range parts {
		g.Go(func() error {
			for i := part; i < len(questions); i += parts {
				if err := ctx.Err(); err != nil {
					return err
				}
				q := questions[i]
				sums[part] += eval.Score(&q.Task, q.Answer(w, o.PerFile, nil), eval.OverChunks, 10)[o.Measure]
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	total := 0.0
	for _, s := range sums {
		total += s
	}
	o.step()
	return total / float64(len(questions)), nil
}
