package eval

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Arm is another way to ask the same tasks: without some stages, or with other weights
// of the order.
type Arm struct {
	Name    string            `json:"name"`
	Off     []string          `json:"off,omitempty"`
	Ranking map[string]string `json:"ranking,omitempty"`
	// MinConfidence is that below which an answer lists nothing.
	MinConfidence float64 `json:"min_confidence,omitempty"`
}

// ParseArm reads "BM25 alone=vector,signals", "fewer vectors=vector_natural=0.3", and
// "surer=min_confidence=0.2".
func ParseArm(text string) (Arm, error) {
	name, rest, _ := strings.Cut(text, "=")
	a, err := ParseWay(rest)
	if err != nil {
		return a, err
	}
	if a.Name = strings.TrimSpace(name); a.Name == "" || a.IsWhole() {
		return a, document.Errorf(document.InvalidRequest, "the arm %q asks in no other way: write NAME=STAGE,STAGE for stages to leave out, such as \"BM25 alone=vector,signals\", or NAME=KEY=VALUE for weights, such as \"fewer vectors=vector_natural=0.3\"", text)
	}
	return a, nil
}

// ParseWay reads an arm without its name: stages, KEY=VALUE and min_confidence=N,
// separated by commas or spaces.
func ParseWay(text string) (a Arm, err error) {
	for _, item := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		key, value, weighs := strings.Cut(item, "=")
		switch {
		case !weighs:
			a.Off = append(a.Off, item)
		case key == "min_confidence":
			if a.MinConfidence, err = strconv.ParseFloat(value, 64); err != nil || !(a.MinConfidence >= 0 && a.MinConfidence <= 1) {
				return a, document.Errorf(document.InvalidRequest, "min_confidence is %q: choose 0 to 1", value)
			}
		case a.Ranking == nil:
			a.Ranking = map[string]string{key: value}
		default:
			a.Ranking[key] = value
		}
	}
	return a, nil
}

// IsWhole reports whether the arm asks in no other way.
func (a *Arm) IsWhole() bool { return len(a.Off)+len(a.Ranking) == 0 && a.MinConfidence == 0 }

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
		o.Off, o.Ranking, o.MinConfidence = a.Off, a.Ranking, a.MinConfidence
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
	for i, a := range arms {
		out = append(out, ArmReport{Arm: a, Rows: rowsOf(score(tasks, answers[i], &o)), Paired: Differences(tasks, whole, answers[i], o)})
	}
	return out
}

// Differences are those of every measure between two ways in which the same tasks were
// answered, now minus before.
func Differences(tasks []Task, now, before []Answer, o Options) map[string]Paired {
	o.SetDefaults()
	list, old := score(tasks, now, &o), score(tasks, before, &o)
	ours, theirs, groups := make([]Measures, len(list)), make([]Measures, len(list)), make([]string, len(list))
	for i := range list {
		ours[i], theirs[i], groups[i] = list[i].measures, old[i].measures, list[i].task.Group
	}
	paired, _ := pair(ours, theirs, groups)
	out := map[string]Paired{}
	for m, name := range MeasureNames {
		out[name] = paired[m]
	}
	return out
}
