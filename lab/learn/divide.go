package learn

import (
	"slices"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/tune"
	"github.com/freshet-dev/freshet/pkg/lambdamart"
)

// example is a question with its candidates, as a model is trained on it.
type example struct {
	*tune.Question
	query lambdamart.Query
	part  int // that is held back together
}

// divide makes the examples. Tasks of one group are alike; where there are fewer
// groups than it takes to compare them, those about one file are held back
// together.
func divide(questions []tune.Question, o *Options) (examples []example, held string, parts int) {
	held = "group"
	part := func(t *eval.Task) string { return t.Group }
	if len(partsOf(questions, part)) < max(o.Folds, eval.FewestGroups) {
		held = "file"
		part = func(t *eval.Task) string { return t.Group + "\x00" + t.Relevant[0].Path }
	}
	names := partsOf(questions, part)
	for i := range questions {
		q := &questions[i]
		at, _ := slices.BinarySearch(names, part(&q.Task))
		examples = append(examples, example{Question: q, query: queryOf(q, o), part: at})
	}
	return examples, held, len(names)
}

// classesOf returns the classes of which there are enough tasks.
func classesOf(examples []example) (out []string) {
	n := map[string]int{}
	for i := range examples {
		n[examples[i].Replay.Class()]++
	}
	for class, tasks := range n {
		if tasks >= leastOfClass {
			out = append(out, class)
		}
	}
	slices.Sort(out)
	return out
}

func partsOf(questions []tune.Question, part func(*eval.Task) string) []string {
	names := make([]string, len(questions))
	for i := range questions {
		names[i] = part(&questions[i].Task)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func queryOf(q *tune.Question, o *Options) lambdamart.Query {
	places, rows := q.Replay.Best(&o.Ranking, passages)
	out := lambdamart.Query{Rows: rows}
	for _, place := range places {
		target, grade := q.Task.Earns(q.Hits[place])
		out.Goals, out.Gains = append(out.Goals, target), append(out.Gains, grade)
	}
	return out
}
