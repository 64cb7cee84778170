package evaluator

import (
	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// figuresOf measures the answers in one way; where it is not the first, beside those in
// the first.
func figuresOf(arm contract.EvaluationArm, tasks []eval.Task, answers, first []eval.Answer, compare bool) contract.EvaluatedArm {
	var o eval.Options
	report := eval.NewReport("golden", tasks, answers, nil, o)
	out := contract.EvaluatedArm{Arm: arm, Figures: map[string]contract.EvaluatedFigure{}}
	for name, e := range report.Rows[0].Figures {
		out.Figures[name] = contract.EvaluatedFigure{Value: e.Value, Low: e.Low, High: e.High}
	}
	for i := range tasks {
		a := &answers[i]
		if a.Error != "" {
			out.Failed++
		} else if tasks[i].Unanswerable && a.Abstains() {
			out.Refused++
		}
	}
	times := eval.SpreadOf(answers)
	out.P50MS, out.P99MS = times.P50, times.P99
	if !compare {
		return out
	}
	for name, p := range eval.Differences(tasks, answers, first, o) {
		f := out.Figures[name]
		d := p.Difference
		f.Against = &contract.EvaluatedDifference{Value: d.Value, Low: d.Low, High: d.High, P: p.P, Wins: p.Wins, Loses: p.Losses}
		out.Figures[name] = f
	}
	return out
}
