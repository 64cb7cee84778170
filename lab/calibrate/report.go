package calibrate

import (
	"maps"
	"math"
	"slices"

	"github.com/freshet-dev/freshet/pkg/confidence"
)

// Report is what a calibration is worth, on tasks whose set, or folder where they are
// of none, no part of the judging model has seen.
type Report struct {
	Tasks        int         `json:"tasks"`
	Unanswerable int         `json:"unanswerable"`
	Found        int         `json:"found"` // answers with the right passage among the hits
	Answers      Reliability `json:"answers"`
	Hits         Reliability `json:"hits"`
	// Passages are the hits, judged without what the search tells of them beside
	// each other.
	Passages Reliability `json:"passages"`
	// Low is the confidence below which there is nothing relevant in answers to questions
	// of a kind without a fit, Abstention what other limits for all would come to.
	Low        float64      `json:"low"`
	Abstention []Abstention `json:"abstention"`
	// Questions are by kind of question, Kinds by kind of task, Families by kind of set.
	Questions []OfKind `json:"questions"`
	Kinds     []OfKind `json:"kinds"`
	Families  []OfKind `json:"families"`
}

// Reliability compares probabilities with what came out.
type Reliability struct {
	Samples int `json:"samples"`
	// Error is the expected calibration error: the mean distance of probability
	// and share over the bins, by their samples. Brier is the mean of
	// (probability − truth)²; Base is that of stating the same for all.
	Error float64 `json:"error"`
	Brier float64 `json:"brier"`
	Base  float64 `json:"base"`
	Bins  []Bin   `json:"bins"` // those of ten that are not empty
}

// Bin are the samples of similar probability.
type Bin struct {
	Samples int     `json:"samples"`
	Said    float64 `json:"said"` // mean
	Was     float64 `json:"was"`  // share that was right
}

// Abstention is what comes of saying "nothing relevant" below a limit.
type Abstention struct {
	Below float64 `json:"below"`
	Said  int     `json:"said"` // answers that say it
	// Empty is the share of these whose hits hold no answer, Precision the share
	// of these whose question nothing answers at all, Recall the share of such
	// questions that it is said of, Wrong the share of the right answers that it
	// is said of.
	Empty     float64 `json:"empty"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	Wrong     float64 `json:"wrong"`
}

// bins is how many there are from 0 to 1.
const bins = 10

func reliability(samples []Sample, said []float64) Reliability {
	out := Reliability{Samples: len(samples)}
	var all [bins]Bin
	rights := 0.0
	for i, s := range samples {
		truth := 0.0
		if s.Right {
			truth = 1
		}
		b := &all[min(int(said[i]*bins), bins-1)]
		b.Samples++
		b.Said += said[i]
		b.Was += truth
		rights += truth
		out.Brier += (said[i] - truth) * (said[i] - truth) / float64(len(samples))
	}
	rate := rights / float64(max(len(samples), 1))
	out.Base = rate * (1 - rate)
	for _, b := range all {
		if b.Samples == 0 {
			continue
		}
		out.Error += math.Abs(b.Said-b.Was) / float64(len(samples))
		n := float64(b.Samples)
		out.Bins = append(out.Bins, Bin{b.Samples, b.Said / n, b.Was / n})
	}
	return out
}

func abstain(samples []Sample, said []float64, below float64) Abstention {
	out := Abstention{Below: below}
	var none, right, of, wrong float64
	for i, s := range samples {
		low := said[i] < below
		if low {
			out.Said++
		}
		if s.Unanswerable {
			none++
			if low {
				of++
			}
		}
		if s.Right {
			right++
			if low {
				wrong++
			}
		}
	}
	out.Precision = of / float64(max(out.Said, 1))
	out.Empty = (float64(out.Said) - wrong) / float64(max(out.Said, 1))
	out.Recall, out.Wrong = of/max(none, 1), wrong/max(right, 1)
	return out
}

const (
	// mostWrong is how many of the right answers may be said to be nothing: who
	// gets one of these does not look at what was there.
	mostWrong = .05
	// leastEmpty is how often "nothing relevant" has to be right where it is said, in all
	// samples and in each set of leastOfSet and more: what is asked next is another set.
	leastEmpty = .8
	leastOfSet = 50
)

// limits are the confidences that may become Low.
func limits() (out []float64) {
	for i := 1; i <= 50; i++ {
		out = append(out, float64(i)/100)
	}
	return out
}

// low returns the highest limit that calls at most mostWrong of the right answers
// nothing, and below which leastEmpty of the answers are none; 0 where there is no such.
func low(samples []Sample, said []float64) (best float64) {
	sets := map[string][]int{}
	for i := range samples {
		sets[samples[i].Set] = append(sets[samples[i].Set], i)
	}
	maps.DeleteFunc(sets, func(_ string, at []int) bool { return len(at) < leastOfSet })
	for _, l := range limits() {
		a := abstain(samples, said, l)
		fine := a.Said > 0 && a.Wrong <= mostWrong && a.Empty >= leastEmpty
		for _, at := range sets {
			a := abstain(places(samples, at), places(said, at), l)
			fine = fine && (a.Said == 0 || a.Empty >= leastEmpty)
		}
		if fine {
			best = l
		}
	}
	return best
}

// places returns what stands at some places of a list.
func places[T any](list []T, at []int) []T {
	out := make([]T, len(at))
	for i, place := range at {
		out[i] = list[place]
	}
	return out
}

// lowOfKinds sets the limit of each kind that has a fit, and that of all.
func lowOfKinds(c *confidence.Calibration, answers []Sample, said []float64) {
	for kind, k := range c.Kinds {
		of, at := ofKind(answers, kind)
		k.Low = low(of, places(said, at))
		c.Kinds[kind] = k
	}
	var rest []int
	for i := range answers {
		if _, own := c.Kinds[question(&answers[i])]; !own {
			rest = append(rest, i)
		}
	}
	c.Low = low(places(answers, rest), places(said, rest))
}

// nothing tells which answers a fit would have nothing relevant in, by limits that
// have not seen their set either.
func nothing(c *confidence.Calibration, answers []Sample, said []float64) []bool {
	out := make([]bool, len(answers))
	for f := range folds {
		var rest []Sample
		var p []float64
		for i := range answers {
			if foldOf(&answers[i]) != f {
				rest, p = append(rest, answers[i]), append(p, said[i])
			}
		}
		part := confidence.Calibration{Kinds: maps.Clone(c.Kinds)}
		lowOfKinds(&part, rest, p)
		for i := range answers {
			if foldOf(&answers[i]) == f {
				out[i] = said[i] < part.LowOf(answers[i].Evidence)
			}
		}
	}
	return out
}

// Calibrate fits models on the answers to tasks, and on their hits.
func Calibrate(answers, hits []Sample) (confidence.Calibration, Report) {
	c, r := confidence.Calibration{Tasks: len(answers)}, Report{Tasks: len(answers)}
	for _, a := range answers {
		if a.Unanswerable {
			r.Unanswerable++
		}
		if a.Right {
			r.Found++
		}
	}
	c.Unanswerable = r.Unanswerable
	said, each := make([]float64, len(answers)), make([]float64, len(hits))
	c.Kinds = byKind(answers, hits, said, each)
	c.Answer, c.Hit = others(answers, said, c.Kinds), others(hits, each, c.Kinds)
	lowOfKinds(&c, answers, said)
	fit := &fitted{answers: said, hits: each, nothing: nothing(&c, answers, said)}
	r.Low, r.Answers, r.Hits = c.Low, reliability(answers, said), reliability(hits, each)
	var one []float64
	c.Passage, one = Fit(alone(hits))
	r.Passages = reliability(hits, one)
	r.Questions, r.Kinds, r.Families = kindsOf(answers, hits, fit, question), kindsOf(answers, hits, fit, task), kindsOf(answers, hits, fit, family)
	for i := range r.Questions {
		q := &r.Questions[i]
		q.Low = c.Low
		if k, ok := c.Kinds[q.Kind]; ok {
			q.Low = k.Low
		}
	}
	for _, l := range []float64{.05, .1, .15, .2, .25, .3, .4, .5} {
		r.Abstention = append(r.Abstention, abstain(answers, said, l))
	}
	return c, r
}

// alone are samples of hits without the evidence that others gave of them.
func alone(hits []Sample) []Sample {
	out := slices.Clone(hits)
	for i := range out {
		evidence := make(map[string]float64, len(confidence.OfPassage))
		for _, name := range confidence.OfPassage {
			evidence[name] = out[i].Evidence[name]
		}
		out[i].Evidence = evidence
	}
	return out
}
