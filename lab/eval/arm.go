package eval

import (
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Arm is another way to ask the same tasks: without some stages.
type Arm struct {
	Name string   `json:"name"`
	Off  []string `json:"off,omitempty"`
}

// ParseArm reads "BM25 alone=vector,signals".
func ParseArm(text string) (Arm, error) {
	name, off, ok := strings.Cut(text, "=")
	a := Arm{Name: strings.TrimSpace(name), Off: strings.FieldsFunc(off, func(r rune) bool { return r == ',' || r == ' ' })}
	if !ok || a.Name == "" || len(a.Off) == 0 {
		return a, document.Errorf(document.InvalidRequest, "the arm %q leaves nothing out: write NAME=STAGE,STAGE, such as \"BM25 alone=vector,signals\"", text)
	}
	return a, nil
}

// ArmReport is an arm beside the whole.
type ArmReport struct {
	Arm
	Rows []Row `json:"rows"` // of the same tasks as those of the report
	// Paired is the whole minus the arm, on the same tasks.
	Paired map[string]Paired `json:"paired"`
}

// AskArms asks the tasks once more in every arm, and returns the answers by
// arm.
func AskArms(ctx context.Context, nc *nats.Conn, tasks []Task, arms []Arm, o Options) ([][]Answer, error) {
	var out [][]Answer
	for _, a := range arms {
		o.Off = a.Off
		answers, err := Ask(ctx, nc, tasks, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
		out = append(out, answers)
	}
	return out, nil
}

// CompareArms scores each arm beside the whole, whose answers are those of the
// same tasks.
func CompareArms(tasks []Task, whole []Answer, arms []Arm, answers [][]Answer, o Options) []ArmReport {
	o.SetDefaults()
	var out []ArmReport
	all := score(tasks, whole, &o)
	for i, a := range arms {
		list := score(tasks, answers[i], &o)
		now, then, groups := make([]Measures, len(all)), make([]Measures, len(all)), make([]string, len(all))
		for j := range all {
			now[j], then[j], groups[j] = all[j].measures, list[j].measures, all[j].task.Group
		}
		paired, _ := pair(now, then, groups)
		r := ArmReport{Arm: a, Rows: rowsOf(list), Paired: map[string]Paired{}}
		for m, name := range MeasureNames {
			r.Paired[name] = paired[m]
		}
		out = append(out, r)
	}
	return out
}
