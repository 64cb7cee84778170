package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/feedback"
	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestFeedback_IsKeptExportedAndPurged(t *testing.T) {
	t.Parallel()
	folder := tree(t, small)
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	here := func(args ...string) *exec.Cmd {
		cmd := program(t, append(args, "--data", i.data)...)
		cmd.Dir = folder
		return cmd
	}
	tell := func(args ...string) result {
		t.Helper()
		r := finish(t, here(append([]string{"feedback"}, args...)...))
		if r.code != 0 {
			t.Fatalf("feedback %v: exit %d\n%s%s", args, r.code, r.stdout, r.stderr)
		}
		return r
	}
	type list struct {
		Events     []contract.FeedbackEvent
		Statistics feedback.Statistics
	}
	heard := func() (l list) {
		t.Helper()
		if err := json.Unmarshal([]byte(tell("list", "--json").stdout), &l); err != nil {
			t.Fatal(err)
		}
		return l
	}

	tasks := filepath.Join(t.TempDir(), "tasks.jsonl")
	refuse(t, here("feedback", "export", tasks), "no task", "freshet feedback up")
	refuse(t, here("feedback", "up", "nowhere.go", "--query", "heron"), "nowhere.go", "no document")

	// As search prints it, relative or in full.
	said := tell("opened", "README.md", "--query", "ParseHeron")
	if !strings.HasPrefix(said.stdout, "opened  README.md:") || !strings.Contains(said.stdout, "#2") {
		t.Errorf("%s%s", said.stdout, said.stderr)
	}
	tell("up", filepath.Join(folder, "parse.go")+":3-4", "--query", "ParseHeron", "--by", "ada", "--session", "1")
	if r := tell("up", "parse.go:4", "--query", "ParseHeron", "--by", "ada", "--session", "1"); !strings.Contains(r.stderr, "counts once") {
		t.Errorf("the same hit again: %s%s", r.stdout, r.stderr)
	}
	// A filter keeps it out of the hits.
	if r := tell("up", "README.md", "--query", "where do herons stand lang:go"); !strings.Contains(r.stderr, "not among the") {
		t.Errorf("what was not found: %s%s", r.stdout, r.stderr)
	}
	tell("down", "parse.go", "--query", "tax return")

	if r := run(t, "verify", "--data", i.data); r.code != 0 || !strings.Contains(r.stdout, "equal") {
		t.Errorf("verify: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	i.stop()
	i = start(t, i.data, folder)

	l := heard()
	if len(l.Events) != 4 || l.Events[1].By != "ada" || l.Events[1].Hits[0].Rank != 1 || l.Events[2].Hits[0].Rank != 0 || l.Events[2].Hits[0].StartLine != 0 {
		t.Fatalf("after the restart: %+v", l.Events)
	}
	if s := l.Statistics; s.Questions != 3 || s.Taken != 2 || s.First != .5 || s.MRR != .75 {
		t.Errorf("%+v", s)
	}
	if r := tell("list"); !strings.Contains(r.stdout, "ParseHeron") || !strings.Contains(r.stdout, "MRR 0.75") || strings.Contains(r.stdout, "\x1b") {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
	if r := tell("export", tasks); !strings.Contains(r.stdout, "2 tasks of 4 events") || strings.Contains(r.stderr, "gone") {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
	if read, err := eval.Read(tasks); err != nil || len(read) != 2 || len(read[0].Relevant) != 2 || read[0].Relevant[1].Grade != 2 {
		t.Errorf("%+v, %v", read, err)
	}
	if info, err := os.Stat(tasks); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read what was asked: %v, %v", info.Mode(), err)
	}
	var report eval.Report
	if err := json.Unmarshal([]byte(must(t, "eval", tasks, "--json", "--data", i.data)), &report); err != nil || report.Tasks != 2 || report.Rows[0].Figure(eval.Hit10).Value != .5 {
		t.Errorf("%v, %+v", err, report)
	}

	if r := tell("purge"); r.stdout != "removed 4 events\n" {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
	if l := heard(); len(l.Events) > 0 {
		t.Errorf("after the purge: %+v", l)
	}
	i.stop()
}
