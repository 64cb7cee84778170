package train

import "github.com/freshet-dev/freshet/pkg/embed/static"

// Pair is a question and what answers it.
type Pair struct {
	Question static.Bag
	Passages []int // by index, the best one first; at least one
	// Wrong are passages near the question that do not answer it. One of them
	// stands beside it in each batch, if there are any.
	Wrong []int
}

// Corpus is what is learnt from. Fit and Dev should not share a document.
type Corpus struct {
	Passages []static.Bag
	Fit      []Pair
	// Dev decides when to stop. Nothing is learnt from it.
	Dev []Pair
	// Wrong are passages that stand beside those of a batch as wrong answers.
	Wrong []int
	// Among are the passages among which those of Dev are looked for; they
	// include these.
	Among []int
}

// Options of Run. What is zero gets the default of SetDefaults.
type Options struct {
	Seed   uint64 // the same seed and corpus give the same rows
	Epochs int    // at most
	// Patience is how many epochs may pass without a better one.
	Patience int
	Batch    int // pairs
	Wrong    int // further wrong passages in a batch
	// Rate is the length of a step at the beginning, as a share of a typical
	// value of the rows; it falls to nothing over the epochs.
	Rate        float64
	Temperature float64
	// Pull is the share of its way that a row goes back to where it began, at
	// each of its steps; negative for none.
	Pull float64
	// Dropout is the share of tokens that a text lacks; negative for none.
	Dropout float64
	// Progress is told after each step, and may be nil.
	Progress func(epoch, step, steps int)
}

// SetDefaults fills in what is zero. docs/quality.md says what was tried.
func (o *Options) SetDefaults() {
	set := func(v *int, to int) {
		if *v == 0 {
			*v = to
		}
	}
	number := func(v *float64, to float64) {
		if *v == 0 {
			*v = to
		}
	}
	set(&o.Epochs, 10)
	set(&o.Patience, 2)
	set(&o.Batch, 128)
	set(&o.Wrong, 512)
	number(&o.Rate, .1)
	number(&o.Temperature, .05)
	number(&o.Pull, .002)
	number(&o.Dropout, .1)
	if o.Progress == nil {
		o.Progress = func(int, int, int) {}
	}
}

// Result is what came of it.
type Result struct {
	// Rows are those of the best epoch; the ones of the start where none was
	// better.
	Rows []float32
	// Dev is the mean reciprocal rank of the right passages of Dev, before the
	// training and after each epoch.
	Dev []float64
	// Loss is the mean of each epoch.
	Loss []float64
	Best int // epoch, 0 is the start
}
