package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/mine"
)

const asking = `package queue

// Push appends a message behind everything that waits already.
func (q *Queue) Push(m []byte) {
	q.list = append(q.list, m)
}
`

// What is made has to be what is asked.
func TestMadeTasks_CanBeAsked(t *testing.T) {
	t.Parallel()
	source, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(filepath.Join(source, "queue.go"), []byte(asking), 0o644); err != nil {
		t.Fatal(err)
	}
	var report mine.Report
	if err := json.Unmarshal([]byte(must(t, "eval", "make", source, "--out", out, "--kinds", "docstring,commit", "--json")), &report); err != nil {
		t.Fatal(err)
	}
	if report.Files != 1 || len(report.Made) != 1 || report.Made[0].Tasks != 1 || len(report.Notes) != 1 {
		t.Errorf("%+v", report)
	}
	tasks, err := eval.Read(filepath.Join(out, mine.TasksFile))
	if err != nil || len(tasks) != 1 || len(tasks[0].Relevant) != 1 {
		t.Fatalf("%+v, %v", tasks, err)
	}
	if r := tasks[0].Relevant[0]; r.Path != "queue.go" || r.StartLine != 3 || r.EndLine != 5 {
		t.Errorf("%+v", r)
	}
	said := must(t, "eval", filepath.Join(out, mine.TasksFile), "--index", filepath.Join(out, mine.CorpusFolder))
	if !strings.Contains(said, "1.000") {
		t.Errorf("it was not found:\n%s", said)
	}
	refuse(t, program(t, "eval", "make", source, "--out", out), "is not empty")
	refuse(t, program(t, "eval", "make", source), "--out")
	refuse(t, program(t, "eval", "make", source, "--out", out+"2", "--tasks", "0"), "--kinds")
	refuse(t, program(t, "eval", "make", source, "--out", out+"2", "--kinds", "doc"), "docstring")
}
