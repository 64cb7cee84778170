package calibrate

import (
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
)

func TestQuestionsWithoutAnAnswer_AreThinnedOut(t *testing.T) {
	var tasks []eval.Task
	for range 300 {
		tasks = append(tasks, eval.Task{Relevant: []eval.Target{{Path: "a.go"}}})
	}
	near := make([]eval.Task, 200)
	for i := range near {
		near[i].Unanswerable, near[i].Group = true, "near"
	}
	all := append(append(tasks, near...), Foreign(tasks, "")...)
	count := map[string]int{}
	for _, task := range thinned(all) {
		switch {
		case !task.Unanswerable:
			count["answer"]++
		case task.Group == "near":
			count["near"]++
		default:
			count["far"]++
		}
	}
	if count["answer"] != 300 || count["near"] != 60 || count["far"] != 90 {
		t.Errorf("%v", count)
	}
	if got := thinned(all[:400]); len(got) != 400 {
		t.Errorf("%d of 400 are left, of which 100 have no answer", len(got))
	}
	if f := Foreign(tasks[:1], "docs")[0]; !f.Unanswerable || f.Relevant != nil || f.Source != "docs" {
		t.Errorf("%+v", f)
	}
}
