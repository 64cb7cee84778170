package calibrate

import (
	"maps"
	"path"
	"slices"

	"github.com/freshet-dev/freshet/pkg/confidence"
)

// leastOfKind is how many answers of a kind of question it takes to fit it by
// itself, and leastOutcome how many of them have to be right, and how many wrong.
const (
	leastOfKind  = 150
	leastOutcome = 20
)

// byThemselves are the kinds of questions that are fitted by themselves where there are
// enough of them; true where they are so unlike others that those are fitted without them.
// Prose and issues are stated better by a fit with sentences than by one of their own:
// there are few sets of either, and the next is unlike them.
var byThemselves = map[string]bool{confidence.Text: true, confidence.Name: true, confidence.File: true, confidence.Sentence: false}

// byKind fits these kinds, and says what the fits say of their samples.
func byKind(answers, hits []Sample, said, each []float64) map[string]confidence.Kind {
	out := map[string]confidence.Kind{}
	for _, kind := range slices.Sorted(maps.Keys(byThemselves)) {
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

// others fits the questions that are like those of no fit in kinds, and says what that
// says of those samples that have no fit yet.
func others(samples []Sample, said []float64, kinds map[string]confidence.Kind) confidence.Model {
	var at []int
	for i := range samples {
		if _, own := kinds[question(&samples[i])]; !own || !byThemselves[question(&samples[i])] {
			at = append(at, i)
		}
	}
	m, held := Fit(places(samples, at))
	for i, p := range held {
		if _, own := kinds[question(&samples[at[i]])]; !own {
			said[at[i]] = p
		}
	}
	return m
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

// OfKind is what comes of the questions, or of the tasks, of one kind: by what the program
// in use states, and by the fit, judged where it has not seen their set or folder.
type OfKind struct {
	Kind  string `json:"kind"`
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
	// answers below limits that have not seen their set.
	Nothing       int `json:"nothing"`
	Rightly       int `json:"rightly"`
	NothingFitted int `json:"nothing_fitted"`
	RightlyFitted int `json:"rightly_fitted"`
	// Low is the limit of the fit, of a kind of question.
	Low float64 `json:"low,omitempty"`
}

// question is what kind of question a sample is of, task what kind of task.
func question(s *Sample) string { return confidence.KindOf(s.Evidence) }

func task(s *Sample) string { return s.Task }

// family is what kind of set a sample is of: that of made/go is made.
func family(s *Sample) string { return path.Dir(s.Set) }

// fitted is what a fit says of samples that it has not seen: how sure it is of answers
// and of hits, and which answers have nothing relevant.
type fitted struct {
	answers, hits []float64
	nothing       []bool
}

func kindsOf(answers, hits []Sample, fit *fitted, kind func(*Sample) string) []OfKind {
	kinds := map[string]bool{}
	for i := range answers {
		kinds[kind(&answers[i])] = true
	}
	var out []OfKind
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		k := OfKind{Kind: name}
		pick := func(samples []Sample, said []float64) (stated, anew float64) {
			var of []Sample
			var a, b []float64
			for i, s := range samples {
				if kind(&s) == name {
					of, a, b = append(of, s), append(a, s.Stated), append(b, said[i])
				}
			}
			return reliability(of, a).Error, reliability(of, b).Error
		}
		k.Stated, k.Fitted = pick(answers, fit.answers)
		k.HitsStated, k.HitsFitted = pick(hits, fit.hits)
		for i, s := range answers {
			if kind(&s) != name {
				continue
			}
			k.Tasks++
			k.Found += count(s.Right)
			k.Nothing += count(s.Nothing)
			k.Rightly += count(s.Nothing && !s.Right)
			k.NothingFitted += count(fit.nothing[i])
			k.RightlyFitted += count(fit.nothing[i] && !s.Right)
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
