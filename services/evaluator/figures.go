package evaluator

import (
	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// figuresOf measures the answers in one way, beside those in the first where that is
// another; nil for none.
func figuresOf(arm contract.EvaluationArm, tasks []eval.Task, answers, first []eval.Answer) contract.EvaluatedArm {
	var o eval.Options
	report, times := eval.NewReport("golden", tasks, answers, nil, o), eval.SpreadOf(answers)
	out := contract.EvaluatedArm{Arm: arm, Figures: map[string]contract.EvaluatedFigure{}, P50MS: times.P50, P99MS: times.P99}
	for name, e := range report.Rows[0].Figures {
		out.Figures[name] = contract.EvaluatedFigure{Value: e.Value, Low: e.Low, High: e.High}
	}
	if a := report.Abstention; a != nil {
		out.Refused = a.Right
	}
	for _, n := range report.Errors {
		out.Failed += n
	}
	if first == nil {
		return out
	}
	for name, p := range eval.Differences(tasks, answers, first, o) {
		f, d := out.Figures[name], p.Difference
		f.Against = &contract.EvaluatedDifference{Value: d.Value, Low: d.Low, High: d.High, P: p.P, Wins: p.Wins, Loses: p.Losses}
		out.Figures[name] = f
	}
	return out
}
