package eval

import (
	"math"
	"slices"
)

// Abstention is how well "nothing relevant here" is said: of the tasks that
// nothing answers, and of the others.
type Abstention struct {
	Abstained int `json:"abstained"` // answers that say that there is nothing
	Right     int `json:"right"`     // of these, those of tasks that nothing answers
	// Precision is Right of Abstained, Recall Right of all that nothing answers;
	// 0 where there are none.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// Reliability compares the confidence of answers with what they were worth.
type Reliability struct {
	Answers int `json:"answers"` // those that state a confidence
	// Error is the expected calibration error: the mean distance of confidence
	// and truth over the bins, by their answers. Brier is the mean of
	// (confidence - truth)².
	Error float64 `json:"error"`
	Brier float64 `json:"brier"`
	Bins  []Bin   `json:"bins"` // those of ten that are not empty
}

// Bin are the answers of similar confidence.
type Bin struct {
	Answers    int     `json:"answers"`
	Confidence float64 `json:"confidence"` // mean
	Found      float64 `json:"found"`      // share with a relevant hit among the k
}

// bins is how many there are from 0 to 1.
const bins = 10

// abstentionOf is nil where every task has an answer.
func abstentionOf(tasks []Task, answers []Answer) *Abstention {
	if !slices.ContainsFunc(tasks, func(t Task) bool { return t.Unanswerable }) {
		return nil
	}
	var out Abstention
	none := 0
	for i := range tasks {
		if tasks[i].Unanswerable {
			none++
		}
		if a := &answers[i]; a.Error != "" || !a.Abstains() {
			continue
		}
		out.Abstained++
		if tasks[i].Unanswerable {
			out.Right++
		}
	}
	out.Precision = float64(out.Right) / float64(max(out.Abstained, 1))
	out.Recall = float64(out.Right) / float64(none)
	return &out
}

// reliabilityOf is nil where no answer states a confidence.
func reliabilityOf(tasks []Task, answers []Answer, k int) *Reliability {
	var sum [bins]Bin
	out := Reliability{}
	for i := range tasks {
		a := &answers[i]
		if a.Confidence == nil {
			continue
		}
		truth := 0.0
		if !tasks[i].Unanswerable && !missed(&tasks[i], a, k) {
			truth = 1
		}
		b := &sum[min(max(int(*a.Confidence*bins), 0), bins-1)]
		b.Answers++
		b.Confidence += *a.Confidence
		b.Found += truth
		out.Answers++
		out.Brier += (*a.Confidence - truth) * (*a.Confidence - truth)
	}
	if out.Answers == 0 {
		return nil
	}
	for _, b := range sum {
		if b.Answers == 0 {
			continue
		}
		n := float64(b.Answers)
		out.Error += math.Abs(b.Confidence-b.Found) / float64(out.Answers)
		out.Bins = append(out.Bins, Bin{b.Answers, b.Confidence / n, b.Found / n})
	}
	out.Brier /= float64(out.Answers)
	return &out
}
