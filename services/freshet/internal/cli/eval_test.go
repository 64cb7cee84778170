package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/lab/eval"
)

// herons are golden questions about small.
const herons = `- question: parse a heron
  category: code
  answers: [parse.go]
- question: where does a heron stand
  category: prose
  answers:
    - path: README.md
      heading: Herons
`

// Small sections share a passage, which is headed by one of them.
func TestSectionWithinItsPassage_IsFound(t *testing.T) {
	t.Parallel()
	corpus := tree(t, map[string]string{"guide.md": "# Guide\n\nOf birds.\n\n## Herons\n\nThey stand.\n\n## Ibises\n\nThey wade.\n", "other.md": "# Boats\n\nThey float.\n"})
	questions := filepath.Join(t.TempDir(), "q.yaml")
	put(t, questions, "- question: who wades\n  answers: [{path: guide.md, heading: Ibises}]\n- question: who floats\n  answers: [{path: guide.md, heading: herons}, {path: nowhere.md, heading: Boats}]\n")
	var report eval.Report
	if err := json.Unmarshal([]byte(must(t, "eval", questions, "--index", corpus, "--json")), &report); err != nil {
		t.Fatal(err)
	}
	if report.Rows[0].Figure(eval.Hit10).Value != 1 {
		t.Errorf("%+v", report)
	}
	put(t, questions, "- question: who wades\n  answers: [guide.md]\n- question: who wades here\n  answers: [{path: guide.md, heading: Storks}]\n")
	refuse(t, program(t, "eval", questions, "--index", corpus), "q.yaml line 3", "Storks", "guide.md", "correct it")
}

func TestEvaluation_LeavesNoInstanceBehind(t *testing.T) {
	t.Parallel()
	questions := filepath.Join(t.TempDir(), "herons.yaml")
	put(t, questions, herons)
	temporary := t.TempDir()
	cmd := program(t, "eval", questions, "--index", tree(t, small), "--json")
	cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
	r := finish(t, cmd)
	var report eval.Report
	d := json.NewDecoder(strings.NewReader(r.stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&report); err != nil || r.code != 0 || r.stderr != "" {
		t.Fatalf("exit %d, %v\n%s%s", r.code, err, r.stdout, r.stderr)
	}
	if i := report.Indexing; i == nil || i.Documents != 2 || i.Passages != 2 && i.Passages != 3 || i.Seconds == 0 || !report.Latency.Fresh {
		t.Errorf("%+v", report)
	}
	if report.Set != "herons" || report.Rows[0].Figure(eval.Recall).Value != 1 || report.Latency.First.Count != 1 || report.Latency.Warm.Count != 1 {
		t.Errorf("%+v", report)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// What competes has to be what was named.
func TestFolderOfARepository_IsEvaluatedAlone(t *testing.T) {
	t.Parallel()
	questions := filepath.Join(t.TempDir(), "herons.yaml")
	put(t, questions, herons)
	top := tree(t, map[string]string{"docs/README.md": "Herons.\n", "parse.go": "package api\n"})
	if out, err := exec.Command("git", "init", "--quiet", top).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	refuse(t, program(t, "eval", questions, "--index", filepath.Join(top, "docs")), top, "outside")
}

func TestInterruptedEvaluation_LeavesNoInstanceBehind(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&lines, `{"id":"%d","query":"heron %d","relevant":["parse.go"]}`+"\n", i, i)
	}
	tasks := filepath.Join(t.TempDir(), "tasks.jsonl")
	put(t, tasks, lines.String())
	temporary := t.TempDir()
	cmd := program(t, "eval", tasks, "--index", tree(t, small))
	cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its exit code says more
		close(exited)
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for found := []string(nil); len(found) == 0; {
		select {
		case <-exited:
			t.Fatalf("it ended early:\n%s", out.String())
		case <-tick.C:
		}
		found, _ = filepath.Glob(filepath.Join(temporary, "freshet-eval-*", "state", "instance.json"))
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-exited
	if code := cmd.ProcessState.ExitCode(); code != 130 || out.String() != "" {
		t.Errorf("exit %d:\n%s", code, out.String())
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// Of a change its message asks for, before it is made.
func TestTaskOfACommit_IsAskedBeforeIt(t *testing.T) {
	t.Parallel()
	top := tree(t, map[string]string{"pond.md": "# Pond\n\nA heron stands in the reeds.\n"})
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", top, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(message string) string {
		git("add", "--all")
		git("commit", "--quiet", "--message", message)
		return git("rev-parse", "HEAD")
	}
	git("init", "--quiet")
	first := commit("Begin")
	git("mv", "pond.md", "lake.md")
	second := commit("Rename the pond")
	put(t, filepath.Join(top, "lake.md"), "# Lake\n\nNothing stands here.\n")
	commit("Chase the heron away")
	tasks := filepath.Join(t.TempDir(), "commits.jsonl")
	put(t, tasks, fmt.Sprintf(`{"id":"second","query":"where does the heron stand","relevant":["lake.md"],"commit":"%s"}
{"id":"first","query":"where does the heron stand","relevant":["pond.md"],"commit":"%s"}
{"id":"head","query":"what stands in the lake","relevant":["lake.md"]}
{"id":"gone","query":"reeds","relevant":["pond.md"]}
`, second, first))
	var report eval.Report
	if err := json.Unmarshal([]byte(must(t, "eval", tasks, "--index", top, "--json")), &report); err != nil {
		t.Fatal(err)
	}
	if report.Rows[0].Figure(eval.Hit1).Value != .75 || len(report.Misses) != 1 || report.Misses[0].ID != "gone" || report.Misses[0].Stage != "index" {
		t.Errorf("%+v", report)
	}
	if now := git("symbolic-ref", "HEAD"); strings.Contains(now, "eval") || git("status", "--porcelain") != "" {
		t.Errorf("the repository was changed: %s, %s", now, git("status", "--porcelain"))
	}
	refuse(t, program(t, "eval", tasks, "--index", tree(t, small)), "commits", "no repository")
	put(t, tasks, `{"id":"1","query":"heron","relevant":["a.md"],"commit":"0123456789012345678901234567890123456789"}`)
	refuse(t, program(t, "eval", tasks, "--index", top), "0123456789", top, "fetch")
	i := start(t, filepath.Join(t.TempDir(), "s"), tree(t, small))
	refuse(t, program(t, "eval", tasks, "--data", i.data), "0123456789", "--index")
	i.stop()
}
