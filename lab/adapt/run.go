package adapt

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/embed/static/train"
)

// Model is what a training makes.
type Model = static.Model

// CheckOut says whether a model could be written to a folder, before a long
// training.
func CheckOut(folder string) error { return static.CheckOut(folder) }

// Run trains a model, and says what it is worth. Nothing is written. Errors of a
// corpus are those of adding it as a source; InvalidRequest where there is too
// little to learn from.
func Run(ctx context.Context, o Options) (*Model, Report, error) {
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	for _, c := range o.Corpora {
		if eval.OfHistory(c.Tasks) {
			return nil, Report{}, document.Errorf(document.InvalidRequest, "some tasks are asked as of commits, which have no passage to learn from: name the tasks.jsonl of `freshet eval make`")
		}
	}
	b, d, r, err := prepared(ctx, &o)
	if err != nil {
		return nil, r, err
	}
	if r.Pairs < leastPairs || r.Held < leastHeld || r.Dev == 0 {
		return nil, r, document.Errorf(document.InvalidRequest, "there are %d pairs of a question and its passage, %d of them in files to be held back: at least %d and %d are needed, so name more documented code or prose", r.Pairs, r.Held, leastPairs, leastHeld)
	}
	inUse, err := static.Load(o.Config.Embedder.Model)
	if err != nil {
		return nil, r, err
	}
	before, err := inUse.Rows()
	if err != nil {
		return nil, r, err
	}
	start := before
	if o.Rows != nil {
		start = o.Rows(before)
	}
	o.Train.Progress = func(epoch, step, steps int) {
		o.Progress("training", (epoch-1)*steps+step, o.Train.Epochs*steps)
	}
	o.Train.SetDefaults()
	began := time.Now()
	o.Progress("looking for near passages that are wrong", len(d.corpus.Fit), 0)
	if err := b.addNear(ctx, &o, &d.corpus, start); err != nil {
		return nil, r, err
	}
	result, err := train.Run(ctx, start, d.corpus, o.Train)
	if err != nil {
		return nil, r, err
	}
	r.Seconds = time.Since(began).Seconds()
	r.Scores, r.Loss, r.Best = result.Dev, result.Loss, result.Best
	trained, err := inUse.WithRows(result.Rows)
	if err != nil {
		return nil, r, err
	}
	// What is judged is what would be written.
	after, err := trained.Rows()
	if err != nil {
		return nil, r, err
	}
	o.Progress("asking what was held back", len(d.held), 0)
	if r.Comparison, err = b.judge(ctx, d.held, d.among, before, after); err != nil {
		return nil, r, err
	}
	r.Trained, r.Won = trained.Identity(), r.Comparison.won()
	return trained, r, nil
}

// prepared reads the corpora and divides their questions.
func prepared(ctx context.Context, o *Options) (*book, divided, Report, error) {
	model, err := static.Open(o.Config.Embedder.Model)
	if err != nil {
		return nil, divided{}, Report{}, err
	}
	b, err := read(ctx, o, model)
	if err != nil {
		return nil, divided{}, Report{}, err
	}
	list, left := b.ask(o, model)
	d := divide(b, o, list)
	return b, d, Report{
		InUse: model.Identity(), Files: len(b.files), Passages: len(b.passages), Pairs: len(list), Left: left,
		Fit: len(d.corpus.Fit), Dev: len(d.corpus.Dev), Held: len(d.held),
	}, nil
}
