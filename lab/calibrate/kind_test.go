package calibrate

import (
	"fmt"
	"testing"

	"github.com/freshet-dev/freshet/pkg/confidence"
)

// Names are found nine times in ten, sentences every other time.
func TestFitOfNames_LeavesWhatIsStatedOfSentences(t *testing.T) {
	var answers []Sample
	for i := range 400 {
		name := Sample{Group: fmt.Sprint("g", i%20), Evidence: map[string]float64{confidence.Symbol: 1, "cover": float64(i%10) / 10}, Stated: .2, Right: i%10 > 0}
		sentence := Sample{Group: name.Group, Evidence: map[string]float64{"cover": .5}, Stated: .5, Right: i%2 > 0}
		answers = append(answers, name, sentence)
	}
	fit, report := Calibrate(answers, answers)
	if got := fit.OfAnswer(answers[10].Evidence); got == fit.Answer.P(answers[10].Evidence) || got < .8 {
		t.Errorf("a name is stated as everything is: %v", got)
	}
	if got := fit.OfAnswer(answers[21].Evidence); got < .45 || got > .55 {
		t.Errorf("a sentence is stated with %v", got)
	}
	if k := report.Kinds[0]; k.Tasks != 800 || k.Fitted >= k.Stated {
		t.Errorf("%+v", k)
	}
	if k := report.Questions; len(k) != 2 || k[0].Kind != confidence.Name || k[0].Tasks != 400 || k[1].Kind != confidence.Sentence {
		t.Errorf("%+v", k)
	}
}
