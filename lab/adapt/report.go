package adapt

import "github.com/freshet-dev/freshet/lab/eval"

// Report says what was trained and what it is worth.
type Report struct {
	InUse    string `json:"in_use"`  // identity of the model that is in use
	Trained  string `json:"trained"` // that of what came out
	Files    int    `json:"files"`
	Passages int    `json:"passages"`
	// Pairs are the questions whose passage is there, Left those without one.
	// The former are learnt from, stopped by or held back.
	Pairs int `json:"pairs"`
	Left  int `json:"left"`
	Fit   int `json:"fit"`
	Dev   int `json:"dev"`
	Held  int `json:"held"`
	// Scores are the mean reciprocal ranks of the pairs to stop by, before the
	// training and after each epoch; Best is the epoch that was kept.
	Scores []float64 `json:"scores"`
	Loss   []float64 `json:"loss"`
	Best   int       `json:"best"`
	// Seconds are those of the training alone.
	Seconds    float64    `json:"seconds"`
	Comparison Comparison `json:"comparison"`
	// Won is true where the trained model is better by more than chance.
	Won bool `json:"won"`
	// Out is the folder that it was written to, "" where it was not.
	Out string `json:"out,omitempty"`
}

// Comparison is the trained model beside the one in use, on held-back questions.
type Comparison struct {
	Questions int `json:"questions"`
	Passages  int `json:"passages"` // that they were asked among
	// Resampled says what intervals and p come from: group (files) or task.
	Resampled string                   `json:"resampled"`
	Before    map[string]eval.Estimate `json:"before"` // by measure, of vectors alone
	After     map[string]eval.Estimate `json:"after"`
	Paired    map[string]eval.Paired   `json:"paired"`
}

// won reports whether the trained model finds more, by more than chance.
func (c *Comparison) won() bool {
	p := c.Paired[eval.MeasureNames[judged[0]]]
	return p.Difference.Value > 0 && p.P < significant
}
