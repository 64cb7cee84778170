package train

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/static"
)

// Tokens of a jargon: a passage never has the words of its question, but its
// words stand for them.
const (
	concepts = 24
	noise    = 40
	tokens   = 2*concepts + noise
)

// jargon makes pairs, each about three concepts.
func jargon(pairs int) Corpus {
	random := rand.New(rand.NewPCG(7, 7))
	var c Corpus
	for i := range pairs {
		var q, p static.Bag
		for _, k := range random.Perm(concepts)[:3] {
			q.IDs, q.Weights = append(q.IDs, int32(k)), append(q.Weights, 1)
			p.IDs, p.Weights = append(p.IDs, int32(concepts+k)), append(p.Weights, 1)
		}
		for _, k := range random.Perm(noise)[:6] {
			p.IDs, p.Weights = append(p.IDs, int32(2*concepts+k)), append(p.Weights, 1)
		}
		c.Passages = append(c.Passages, p)
		pair := Pair{Question: q, Passages: []int{i}}
		if i%5 == 0 {
			c.Dev, c.Among = append(c.Dev, pair), append(c.Among, i)
		} else {
			c.Fit, c.Wrong = append(c.Fit, pair), append(c.Wrong, i)
		}
	}
	return c
}

// rows are random, so that no word stands for another one.
func rows(n int) []float32 {
	random := rand.New(rand.NewPCG(3, 3))
	out := make([]float32, n*dims)
	for i := range out {
		out[i] = float32(random.NormFloat64())
	}
	return out
}

func options() Options {
	return Options{Seed: 1, Epochs: 6, Batch: 32, Wrong: 16, Rate: .3}
}

func TestJargon_IsLearnt(t *testing.T) {
	r, err := Run(t.Context(), rows(tokens), jargon(300), options())
	if err != nil {
		t.Fatal(err)
	}
	if r.Dev[0] > .2 || r.Dev[r.Best] < .9 || r.Best == 0 {
		t.Errorf("found before %.3f, after each epoch %.3f, best %d", r.Dev[0], r.Dev[1:], r.Best)
	}
	if r.Loss[len(r.Loss)-1] > r.Loss[0]/2 {
		t.Errorf("the loss hardly falls: %.4f", r.Loss)
	}
	// The first half works alone, too.
	half := slices.Clone(r.Rows)
	for i := range half {
		if i%dims >= dims/2 {
			half[i] = 0
		}
	}
	tr := newTrainer(half, &Corpus{Passages: jargon(300).Passages, Dev: jargon(300).Dev, Among: jargon(300).Among}, &Options{})
	if score, err := tr.dev(t.Context(), half); score < .85 || err != nil {
		t.Errorf("the first half finds %.3f, %v", score, err)
	}
}

// What this training comes to was computed once; processors that fuse a
// multiplication with an addition differ in later digits.
func TestTraining_ComesToWhatWasComputedOnce(t *testing.T) {
	o := options()
	o.Epochs = 2
	r, err := Run(t.Context(), rows(tokens), jargon(300), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{2.5311, .6870} {
		if math.Abs(r.Loss[i]-want) > .01 {
			t.Errorf("the loss of epoch %d is %.4f, not %.4f", i+1, r.Loss[i], want)
		}
	}
	for i, want := range []float64{.0835, .9556, .9528} {
		if math.Abs(r.Dev[i]-want) > .01 {
			t.Errorf("after epoch %d %.4f is found, not %.4f", i, r.Dev[i], want)
		}
	}
}

func TestSameSeed_GivesTheSameRows(t *testing.T) {
	c, start := jargon(120), rows(tokens)
	run := func(seed uint64) []float32 {
		o := options()
		o.Seed, o.Epochs = seed, 2
		r, err := Run(t.Context(), start, c, o)
		if err != nil {
			t.Fatal(err)
		}
		return r.Rows
	}
	first := run(1)
	before := runtime.GOMAXPROCS(1)
	again := run(1)
	runtime.GOMAXPROCS(before)
	if !slices.Equal(first, again) {
		t.Error("the same seed gives other rows")
	}
	if slices.Equal(first, run(2)) {
		t.Error("another seed gives the same rows")
	}
	if !slices.Equal(start, rows(tokens)) {
		t.Error("the start was changed")
	}
}

func TestRowOfATokenThatDoesNotOccur_Stays(t *testing.T) {
	start := rows(tokens + 1)
	r, err := Run(t.Context(), start, jargon(120), options())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Rows[tokens*dims:], start[tokens*dims:]) {
		t.Error("it does")
	}
	if slices.Equal(r.Rows[:dims], start[:dims]) {
		t.Error("that of one that does stays")
	}
}

// Where questions have the words of their passages, nothing is to be learnt.
func TestTableThatCannotBeBetter_StaysAsItWas(t *testing.T) {
	c := jargon(120)
	for _, list := range [][]Pair{c.Fit, c.Dev} {
		for i := range list {
			list[i].Question = c.Passages[list[i].Passages[0]]
		}
	}
	start := rows(tokens)
	r, err := Run(t.Context(), start, c, options())
	if err != nil {
		t.Fatal(err)
	}
	if r.Best != 0 || len(r.Loss) != 2 || !slices.Equal(r.Rows, start) {
		t.Errorf("best %d of %.3f", r.Best, r.Dev)
	}
}

func TestTrainingWithoutPairs_IsRefused(t *testing.T) {
	c := jargon(20)
	c.Dev = nil
	if _, err := Run(t.Context(), rows(tokens), c, options()); document.KindOf(err) != document.InvalidRequest {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, rows(tokens), jargon(20), options()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The gradient is checked against the difference that a small step makes.
func TestGradient_LeadsAsTheDifferenceSays(t *testing.T) {
	c := jargon(12)
	o := Options{Dropout: -1, Temperature: .2}
	o.SetDefaults()
	tr := newTrainer(rows(tokens), &c, &o)
	questions := []static.Bag{c.Fit[0].Question, c.Fit[1].Question, c.Fit[2].Question}
	tr.shown = []int{c.Fit[0].Passages[0], c.Fit[1].Passages[0], c.Fit[2].Passages[0], c.Fit[3].Passages[0], c.Fit[1].Passages[0]}
	tr.asked = [][]int{c.Fit[0].Passages, c.Fit[1].Passages, c.Fit[2].Passages}
	var passages []static.Bag
	for _, p := range tr.shown {
		passages = append(passages, c.Passages[p])
	}
	loss := func() float64 {
		tr.fill(&tr.contrast.questions, questions)
		tr.fill(&tr.contrast.passages, passages)
		return tr.contrast.run(len(questions), len(passages))
	}
	loss()
	tr.table.scatter(questions, tr.contrast.questions.grads)
	tr.table.scatter(passages, tr.contrast.passages.grads)
	grads := slices.Clone(tr.table.grads)
	var largest float64
	for _, g := range grads {
		largest = max(largest, math.Abs(float64(g)))
	}
	const small = .02
	for _, id := range []int32{questions[0].IDs[0], questions[1].IDs[2], passages[0].IDs[0], passages[3].IDs[5], passages[1].IDs[1]} {
		for _, d := range []int{0, 100, 127, 128, 255} {
			at := int(id)*dims + d
			was := tr.table.rows[at]
			tr.table.rows[at] = was + small
			above := loss()
			tr.table.rows[at] = was - small
			below := loss()
			tr.table.rows[at] = was
			want := (above - below) / (2 * small)
			if math.Abs(want-float64(grads[at])) > .01*largest {
				t.Errorf("token %d, dimension %d: the gradient is %.6f, the difference says %.6f", id, d, grads[at], want)
			}
		}
	}
}
