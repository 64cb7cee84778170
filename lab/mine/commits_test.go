package mine

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
)

// grown is a repository with a history of several kinds of commit.
func grown(t *testing.T) (dir string, ids map[string]string) {
	t.Helper()
	dir, commit := repository(t)
	ids = map[string]string{}
	put(t, dir, map[string]string{"a.go": "package a\n\nfunc one() {}\n", "go.sum": "x\n", "docs/ü b.md": "# One\n"})
	ids["first"] = commit("Begin with a package that does nothing at all")
	put(t, dir, map[string]string{"a.go": "package a\n\nfunc waits() {}\n", "go.sum": "y\n", "new.go": "package a\n"})
	ids["lock"] = commit("Wait for the lock that another process holds")
	put(t, dir, map[string]string{"a.go": "package a\n\nfunc  waits() {}\n"})
	ids["format"] = commit("gofmt everything in the tree once")
	put(t, dir, map[string]string{"docs/ü b.md": "# Two\n"})
	ids["docs"] = commit("docs: describe how keys are rotated by hand (#7)")
	put(t, dir, map[string]string{"only.go": "package a\n"})
	ids["added"] = commit("Introduce something new beside what was there")
	if err := os.Remove(filepath.Join(dir, "new.go")); err != nil {
		t.Fatal(err)
	}
	ids["gone"] = commit("Do without the second file, which nobody used")
	return dir, ids
}

func byQuery(tasks []eval.Task) map[string]eval.Task {
	out := map[string]eval.Task{}
	for _, t := range tasks {
		out[t.Query] = t
	}
	return out
}

// A task is asked at the parent, so that the change is not there yet; what the
// parent does not have cannot be found.
func TestCommitTask_IsAskedBeforeItsChange(t *testing.T) {
	dir, ids := grown(t)
	o := options(t, dir)
	o.Kinds = []string{KindCommit}
	r, err := Make(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	history, err := eval.Read(filepath.Join(o.Out, CommitsFile))
	if err != nil {
		t.Fatal(err)
	}
	got := byQuery(history)
	for query, want := range map[string]struct{ parent, path string }{
		"Wait for the lock that another process holds":  {ids["first"], "a.go"},
		"describe how keys are rotated by hand":         {ids["format"], "docs/ü b.md"},
		"Do without the second file, which nobody used": {ids["added"], "new.go"},
	} {
		task, ok := got[query]
		if !ok || task.Commit != want.parent || len(task.Relevant) != 1 || task.Relevant[0].Path != want.path || task.N != 1 {
			t.Errorf("%s: %+v", query, task)
		}
	}
	if len(got) != 3 || !slices.Contains(r.Left, Left{KindCommit, mechanical, 1}) || !slices.Contains(r.Left, Left{KindCommit, nothingFound, 1}) {
		t.Errorf("%+v\n%+v", got, r.Left)
	}
}

func TestShallowClone_IsSaid(t *testing.T) {
	dir, _ := grown(t)
	clone := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.CommandContext(t.Context(), "git", "clone", "-q", "--depth", "2", "file://"+dir, clone).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	o := options(t, clone)
	o.Kinds = []string{KindCommit}
	r, err := Make(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	history, err := eval.Read(filepath.Join(o.Out, CommitsFile))
	if err != nil || len(history) != 1 || history[0].Query != "Do without the second file, which nobody used" {
		t.Errorf("%+v, %v", history, err)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "shallow") {
		t.Errorf("%v", r.Notes)
	}
}
