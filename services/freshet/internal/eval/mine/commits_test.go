package mine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	freshet "github.com/freshet-dev/freshet/services/freshet"
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

func byQuery(tasks []Task) map[string]Task {
	out := map[string]Task{}
	for _, t := range tasks {
		out[t.Query] = t
	}
	return out
}

// A task is asked at the parent, so that the change is not there yet; what the
// parent does not have cannot be found.
func TestCommitTaskIsAskedAfterItsChange(t *testing.T) {
	dir, ids := grown(t)
	o := options(t, dir)
	o.Kinds = []string{KindCommit}
	r, tasks := makeTasks(t, o)
	if len(tasks) > 0 {
		t.Errorf("tasks on the corpus: %+v", tasks)
	}
	history, err := ReadTasks(filepath.Join(o.Out, CommitsFile))
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

func TestShallowCloneIsNotSaid(t *testing.T) {
	dir, _ := grown(t)
	clone := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.CommandContext(t.Context(), "git", "clone", "-q", "--depth", "2", "file://"+dir, clone).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	o := options(t, clone)
	o.Kinds = []string{KindCommit}
	r, _ := makeTasks(t, o)
	history, err := ReadTasks(filepath.Join(o.Out, CommitsFile))
	if err != nil || len(history) != 1 || history[0].Query != "Do without the second file, which nobody used" {
		t.Errorf("%+v, %v", history, err)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "shallow") {
		t.Errorf("%v", r.Notes)
	}
}

// running starts freshet in this process on a folder.
func running(t *testing.T, folder string) *bus.Bus {
	t.Helper()
	cfg := config.Default()
	cfg.Data, cfg.NATS.Port = filepath.Join(t.TempDir(), "state"), 0
	cfg.Sources = []config.Source{{Root: folder}}
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- freshet.Up(ctx, freshet.Options{Config: cfg, Ready: func(r freshet.Running) { ready <- r.URL }})
	}()
	var url string
	select {
	case url = <-ready:
	case err := <-done:
		cancel()
		t.Fatalf("did not start: %v", err)
	}
	b, err := bus.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.Close()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("did not stop cleanly: %v", err)
		}
	})
	return b
}

// The instance has to show exactly the parent while its tasks are asked.
func TestTasksAreAskedAtAnotherCommit(t *testing.T) {
	dir, ids := grown(t)
	o := options(t, dir)
	o.Kinds = []string{KindCommit}
	if _, err := Make(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	tasks, err := ReadTasks(filepath.Join(o.Out, CommitsFile))
	if err != nil {
		t.Fatal(err)
	}
	w, err := OpenWalk(t.Context(), dir, t.TempDir(), tasks)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	b := running(t, w.Folder())
	// What each state has and the others do not.
	shown := map[string]string{ids["first"]: "one", ids["format"]: "waits", ids["added"]: "only.go"}
	var order []string
	err = w.Run(t.Context(), b.Conn(), nil, func(ctx context.Context, tasks []Task) error {
		id := tasks[0].Commit
		order = append(order, id)
		rep, err := bus.Call[contract.SearchRequest, contract.SearchReply](ctx, b.Conn(), contract.SubjectSearch, contract.SearchRequest{Query: "package a func", Text: contract.TextFull})
		if err != nil {
			return err
		}
		all := ""
		for _, h := range rep.Hits {
			all += h.Path.Raw() + "\n" + h.Text + "\n"
		}
		if !strings.Contains(all, shown[id]) || id == ids["first"] && strings.Contains(all, "new.go") {
			t.Errorf("at %s:\n%s", id, all)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(order, []string{ids["first"], ids["format"], ids["added"]}) {
		t.Errorf("order %v", order)
	}
}

func TestTaskAtAnUnknownCommitIsAsked(t *testing.T) {
	dir, _ := grown(t)
	_, err := OpenWalk(t.Context(), dir, t.TempDir(), []Task{{ID: "1", Commit: strings.Repeat("0", 40)}})
	if document.KindOf(err) != document.NotFound {
		t.Errorf("%v", err)
	}
	if _, err = OpenWalk(t.Context(), dir, t.TempDir(), []Task{{ID: "1"}}); document.KindOf(err) != document.InvalidRequest {
		t.Errorf("%v", err)
	}
}
