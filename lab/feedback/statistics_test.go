package feedback_test

import (
	"math"
	"testing"

	"github.com/freshet-dev/freshet/lab/feedback"
	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestStatistics_CountWhatPeopleTook(t *testing.T) {
	visit := func(session string, e contract.FeedbackEvent) contract.FeedbackEvent {
		e.Session = session
		return e
	}
	first, third, nowhere := at("a.go", 1, 10, 1), at("b.go", 1, 10, 3), at("c.go", 1, 10, 0)
	s := feedback.Measure([]contract.FeedbackEvent{
		visit("1", event(shown, "q", first, third)),
		visit("1", event(opened, "q", third)),
		visit("1", event(up, "q", third)), // the same answer
		visit("2", event(shown, "q", first, third)),
		visit("2", event(opened, "q", third)),
		visit("2", event(opened, " q ", first)),
		visit("3", event(shown, "q", first, third)),
		visit("3", event(down, "q", first)),
		visit("4", event(up, "p", nowhere)), // it was in no answer, so it has no rank
	})
	if s.Events != 9 || s.Questions != 2 || s.Kinds[opened] != 3 || s.Kinds[up] != 2 || s.Kinds[down] != 1 {
		t.Errorf("counted wrong: %+v", s)
	}
	if s.Taken != 2 || s.First != .5 || math.Abs(s.MRR-2./3) > 1e-9 || s.Shown != 3 || s.Followed != 2 {
		t.Errorf("%+v", s)
	}
	if s := feedback.Measure(nil); s.Taken != 0 || s.MRR != 0 || s.First != 0 {
		t.Errorf("of nothing: %+v", s)
	}
}
