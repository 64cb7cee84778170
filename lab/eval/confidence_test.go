package eval

import "testing"

func TestConfidence_IsHeldAgainstTheTruth(t *testing.T) {
	sure, unsure := .95, .25
	tasks := []Task{
		{ID: "1", Relevant: files("a")}, {ID: "2", Relevant: files("a")}, {ID: "3", Relevant: files("a")},
		{ID: "4", Unanswerable: true}, {ID: "5", Unanswerable: true},
	}
	answers := []Answer{
		{Hits: hits("a"), Confidence: &sure}, {Hits: hits("b"), Confidence: &sure}, {Hits: hits("a"), Confidence: &unsure},
		{Hits: hits("a"), Confidence: &unsure}, {Hits: hits("a"), Nothing: true},
	}
	r := reliabilityOf(tasks, answers, 10)
	// (2·|.95-.5| + 2·|.25-.5|) / 4, and (.0025 + .9025 + .5625 + .0625) / 4
	if r.Answers != 4 || !near(r.Error, .35) || !near(r.Brier, .3825) || len(r.Bins) != 2 || r.Bins[0] != (Bin{2, .25, .5}) || r.Bins[1] != (Bin{2, .95, .5}) {
		t.Errorf("%+v", r)
	}
	if a := abstentionOf(tasks, answers); *a != (Abstention{Abstained: 1, Right: 1, Precision: 1, Recall: .5}) {
		t.Errorf("%+v", a)
	}
	answers[0].Hits = nil
	if a := abstentionOf(tasks, answers); *a != (Abstention{Abstained: 2, Right: 1, Precision: .5, Recall: .5}) {
		t.Errorf("%+v", a)
	}
	if a, r := abstentionOf(tasks[:3], answers[:3]), reliabilityOf(tasks[4:], answers[4:], 10); a != nil || r != nil {
		t.Errorf("of nothing: %+v, %+v", a, r)
	}
}
