package calibrate

import (
	"math"
	"slices"

	"github.com/freshet-dev/freshet/pkg/confidence"
)

// Report is what a calibration is worth, on tasks whose group no part of the
// judging model has seen.
type Report struct {
	Tasks        int         `json:"tasks"`
	Unanswerable int         `json:"unanswerable"`
	Found        int         `json:"found"` // answers with the right passage among the hits
	Answers      Reliability `json:"answers"`
	Hits         Reliability `json:"hits"`
	// Passages are the hits, judged without what the search tells of them beside
	// each other.
	Passages Reliability `json:"passages"`
	// Low is the confidence below which there is nothing relevant, Abstention
	// what other such limits would come to.
	Low        float64      `json:"low"`
	Abstention []Abstention `json:"abstention"`
	Kinds      []OfKind     `json:"kinds"`
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

// mostWrong is how many of the right answers may be said to be nothing: who
// gets one of these does not look at what was there.
const mostWrong = .05

// limits are the confidences that may become Low.
func limits() (out []float64) {
	for i := 1; i <= 50; i++ {
		out = append(out, float64(i)/100)
	}
	return out
}

// low returns the highest limit that calls at most mostWrong of the right
// answers nothing.
func low(samples []Sample, said []float64) (best float64) {
	for _, l := range limits() {
		if abstain(samples, said, l).Wrong <= mostWrong {
			best = l
		}
	}
	return best
}

// Calibrate fits models on the answers to tasks, and on their hits. Where inUse is
// what the program that was asked applies, it is kept but for the kinds of questions
// that tell themselves apart by what they are: names, texts and files.
func Calibrate(answers, hits []Sample, inUse *confidence.Calibration) (confidence.Calibration, Report) {
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
	var said, each []float64
	c.Answer, said = Fit(answers)
	c.Hit, each = Fit(hits)
	c.Kinds = byKind(answers, hits, said, each)
	c.Low = low(answers, said)
	if inUse != nil {
		c.Answer, c.Hit, c.Low = inUse.Answer, inUse.Hit, inUse.Low
		delete(c.Kinds, confidence.Sentence)
		keepStated(answers, said, c.Kinds)
		keepStated(hits, each, c.Kinds)
	}
	r.Low, r.Answers, r.Hits = c.Low, reliability(answers, said), reliability(hits, each)
	var alone []float64
	c.Passage, alone = Fit(byThemselves(hits))
	r.Passages = reliability(hits, alone)
	r.Kinds = kindsOf(answers, hits, said, each, c.Low)
	for _, l := range []float64{.05, .1, .15, .2, .25, .3, .4, .5} {
		r.Abstention = append(r.Abstention, abstain(answers, said, l))
	}
	return c, r
}

// byThemselves are samples of hits without the evidence that others gave of them.
func byThemselves(hits []Sample) []Sample {
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
