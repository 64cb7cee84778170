package calibrate

import (
	"fmt"
	"testing"

	"github.com/freshet-dev/freshet/pkg/confidence"
)

// Names are found nine times in ten, which the program in use does not know; of
// sentences it states what comes out.
func TestFitOfNamesChangesWhatIsStatedOfSentences(t *testing.T) {
	var answers []Sample
	for i := range 400 {
		name := Sample{Group: fmt.Sprint("g", i%20), Evidence: map[string]float64{confidence.Symbol: 1, "cover": float64(i%10) / 10}, Stated: .2, Right: i%10 > 0}
		sentence := Sample{Group: name.Group, Evidence: map[string]float64{"cover": .5}, Stated: .5, Right: i%2 > 0}
		answers = append(answers, name, sentence)
	}
	model := confidence.Model{Weights: []confidence.Weight{{Name: "cover", By: 0}}}
	inUse := &confidence.Calibration{Answer: model, Hit: model, Low: .1}
	fit, report := Calibrate(answers, answers, inUse)
	if got := fit.OfAnswer(answers[0].Evidence); got == fit.Answer.P(answers[0].Evidence) {
		t.Errorf("a name is stated as everything is: %v", got)
	}
	if got := fit.OfAnswer(answers[21].Evidence); got != .5 || fit.Low != .1 {
		t.Errorf("a sentence is stated with %v, and low is %v", got, fit.Low)
	}
	if k := report.Kinds[0]; k.Tasks != 800 || k.Fitted >= k.Stated {
		t.Errorf("%+v", k)
	}
}
