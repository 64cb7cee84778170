package calibrate

import "testing"

// Two kinds of evidence say nearly the same, and the samples are such that one
// set against the other fits them best.
func TestMoreUnknownWords_MakeNoAnswerSurer(t *testing.T) {
	var samples []Sample
	for i := range 4000 {
		known := float64(i%20) / 20
		s := Sample{Evidence: map[string]float64{"cover": known, "unknown": 1 - known}, Right: i%20 > 8}
		if i%20 > 8 && i%3 == 0 {
			s.Evidence["unknown"] += .4
		}
		samples = append(samples, s)
	}
	both := logistic(samples, []string{"cover", "unknown"})
	wrong := false
	for _, w := range both.Weights {
		wrong = wrong || w.By*speaks[w.Name] < 0
	}
	if !wrong {
		t.Fatalf("the samples do not provoke it: %+v", both.Weights)
	}
	for _, w := range directed(samples).Weights {
		if w.By*speaks[w.Name] < 0 {
			t.Errorf("%s weighs %.2f", w.Name, w.By)
		}
	}
}
