package issues

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/document"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestIssue_IsAskedOfItsTree(t *testing.T) {
	folder, out := t.TempDir(), t.TempDir()
	file, trees := filepath.Join(folder, "lite.jsonl"), filepath.Join(folder, "trees")
	write(t, file, `{"instance_id":"o__p-7","repo":"o/p","problem_statement":"It fails\nalways","patch":"diff --git a/a.py b/a.py\n--- a/a.py\n"}
{"instance_id":"o__p-20","repo":"o/p","problem_statement":"It still fails","patch":"diff --git a/a.py b/a.py\ndiff --git a/b.py b/b.py\n"}
{"instance_id":"o__p-21","repo":"o/p","problem_statement":"In a new file","patch":"diff --git a/new.py b/new.py\n"}
{"instance_id":"o__other-7","repo":"o/other","problem_statement":"Elsewhere","patch":"diff --git a/a.py b/a.py\n"}
`)
	for _, path := range []string{"o__p/a.py", "o__p@10/a.py", "o__p@10/b.py", "o__p@30/a.py", "o__p@x/a.py"} {
		write(t, filepath.Join(trees, path), "pass\n")
	}
	sets, err := Read(file, trees)
	if err != nil || len(sets) != 2 || sets[0].Name != "o__p" || sets[1].Name != "o__p@10" {
		t.Fatalf("%+v: %v", sets, err)
	}
	if err := sets[1].Write(out); err != nil {
		t.Fatal(err)
	}
	tasks, err := eval.Read(filepath.Join(out, "o__p@10.jsonl"))
	if err != nil || len(tasks) != 1 || tasks[0].Query != "It still fails" || len(sets[1].Tasks[0].Relevant) != 2 {
		t.Errorf("%+v: %v", tasks, err)
	}
}

func TestFileWithoutIssues_IsRefused(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "lite.jsonl")
	if _, err := Read(file, folder); document.KindOf(err) != document.NotFound {
		t.Errorf("no file: %v", err)
	}
	write(t, file, "no issue\n")
	if _, err := Read(file, folder); document.KindOf(err) != document.InvalidRequest {
		t.Errorf("no object: %v", err)
	}
	if _, err := Read(file, filepath.Join(folder, "trees")); document.KindOf(err) != document.NotFound {
		t.Errorf("no trees: %v", err)
	}
}
