package calibrate

import (
	"maps"
	"slices"

	"github.com/freshet-dev/freshet/pkg/confidence"
)

// leastOfKind is how many answers of a kind of question it takes to fit it by
// itself, and leastOutcome how many of them have to be right, and how many wrong.
const (
	leastOfKind  = 150
	leastOutcome = 20
)

// byKind fits those kinds of questions by themselves of which there are enough, and
// puts what they say of their samples in the place of what all say.
func byKind(answers, hits []Sample, said, each []float64) map[string]confidence.Kind {
	out := map[string]confidence.Kind{}
	for _, kind := range []string{confidence.Text, confidence.Name, confidence.File, confidence.Sentence} {
		of, at := ofKind(answers, kind)
		right := 0
		for _, s := range of {
			if s.Right {
				right++
			}
		}
		if len(of) < leastOfKind || right < leastOutcome || len(of)-right < leastOutcome {
			continue
		}
		var k confidence.Kind
		var held []float64
		k.Answer, held = Fit(of)
		for i, p := range held {
			said[at[i]] = p
		}
		of, at = ofKind(hits, kind)
		k.Hit, held = Fit(of)
		for i, p := range held {
			each[at[i]] = p
		}
		out[kind] = k
	}
	return out
}

// ofKind returns the samples of a kind of question, and where they stand.
func ofKind(samples []Sample, kind string) (of []Sample, at []int) {
	for i, s := range samples {
		if confidence.KindOf(s.Evidence) == kind {
			of, at = append(of, s), append(at, i)
		}
	}
	return of, at
}

// keepStated puts what the program states in the place of what a fit says of samples
// whose kind has none of its own.
func keepStated(samples []Sample, said []float64, kinds map[string]confidence.Kind) {
	for i, s := range samples {
		if _, ok := kinds[confidence.KindOf(s.Evidence)]; !ok {
			said[i] = s.Stated
		}
	}
}

// OfKind is what comes of the tasks of one kind: by what the program in use states,
// and by the fit, judged where it has not seen the task's folder.
type OfKind struct {
	Task  string `json:"task"`
	Tasks int    `json:"tasks"`
	Found int    `json:"found"`
	// Stated and Fitted are expected calibration errors of answers, HitsStated and
	// HitsFitted those of hits.
	Stated     float64 `json:"stated"`
	Fitted     float64 `json:"fitted"`
	HitsStated float64 `json:"hits_stated"`
	HitsFitted float64 `json:"hits_fitted"`
	// Nothing is how often the program in use says that nothing is relevant, Rightly
	// how often no hit answers then. NothingFitted and RightlyFitted count the
	// answers below the limit of the fit.
	Nothing       int `json:"nothing"`
	Rightly       int `json:"rightly"`
	NothingFitted int `json:"nothing_fitted"`
	RightlyFitted int `json:"rightly_fitted"`
}

func kindsOf(answers, hits []Sample, said, each []float64, low float64) []OfKind {
	tasks := map[string]bool{}
	for _, s := range answers {
		tasks[s.Task] = true
	}
	var out []OfKind
	for _, task := range slices.Sorted(maps.Keys(tasks)) {
		k := OfKind{Task: task}
		pick := func(samples []Sample, fitted []float64) (stated, anew float64) {
			var of []Sample
			var a, b []float64
			for i, s := range samples {
				if s.Task == task {
					of, a, b = append(of, s), append(a, s.Stated), append(b, fitted[i])
				}
			}
			return reliability(of, a).Error, reliability(of, b).Error
		}
		k.Stated, k.Fitted = pick(answers, said)
		k.HitsStated, k.HitsFitted = pick(hits, each)
		for i, s := range answers {
			if s.Task != task {
				continue
			}
			k.Tasks++
			k.Found += count(s.Right)
			k.Nothing += count(s.Nothing)
			k.Rightly += count(s.Nothing && !s.Right)
			k.NothingFitted += count(said[i] < low)
			k.RightlyFitted += count(said[i] < low && !s.Right)
		}
		out = append(out, k)
	}
	return out
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
