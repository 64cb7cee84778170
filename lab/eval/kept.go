package eval

import "github.com/freshet-dev/freshet/pkg/contract"

// OfGolden are the tasks that golden questions are, as an instance keeps them.
func OfGolden(questions []contract.GoldenQuestion) []Task {
	tasks := make([]Task, len(questions))
	for i, q := range questions {
		t := Task{ID: string(q.Source) + ":" + q.ID, Query: q.Query, Source: q.Source, Group: string(q.Source), Kind: kindGolden, Unanswerable: len(q.Answers) == 0}
		for _, a := range q.Answers {
			t.Relevant = append(t.Relevant, Target{Path: a.Path.Raw(), StartLine: a.StartLine, EndLine: a.EndLine})
		}
		tasks[i] = t
	}
	return tasks
}
