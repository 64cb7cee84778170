package corpora

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/mine"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
)

// TestMain makes the test binary a parser child when it is started as one.
func TestMain(m *testing.M) {
	cutter.ChildOrReturn()
	os.Exit(m.Run())
}

// project is a checkout of two commits whose one module requires one of the
// modules that this one does.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name, content string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	sums, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	module := "go 1.26.0\n\nrequire github.com/creack/pty v1.1.24\n"
	put("go.mod", "module example.org/one\n\n"+module)
	put("go.sum", string(sums))
	put("a.go", "package a\n")
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "Begin")
	put("a.go", "package a // changed\n")
	git("commit", "-q", "-a", "-m", "Let the reader wait for the writer of the queue")
	return dir
}

func TestSetOfAnotherRun_IsNotMixedIn(t *testing.T) {
	c := Config{Out: t.TempDir(), Project: project(t), Sets: []string{History, Modules}, Tasks: 20, Seed: 1}
	for range 2 {
		var told strings.Builder
		if err := Make(t.Context(), c, &told); err != nil {
			t.Fatal(err)
		}
		tasks, err := eval.Read(filepath.Join(c.Out, History, mine.CommitsFile))
		if err != nil || len(tasks) != 1 || !strings.Contains(told.String(), "history      1 tasks") {
			t.Errorf("%+v, %v\n%s", tasks, err, told.String())
		}
		tasks, err = eval.Read(filepath.Join(c.Out, Modules, mine.TasksFile))
		if err != nil || len(tasks) == 0 {
			t.Errorf("%+v, %v", tasks, err)
		}
		versions, err := os.ReadFile(filepath.Join(c.Out, Modules, VersionsFile))
		if want := "github.com_creack_pty v1.1.24\nsums on " + runtime.GOARCH + "\n"; err != nil || string(versions) != want {
			t.Errorf("the versions are %q, %v, want %q", versions, err, want)
		}
		left := filepath.Join(c.Out, Modules, mine.CorpusFolder, "left.txt")
		if _, err := os.Stat(left); err == nil {
			t.Error("a file of the earlier set is there")
		}
		if err := os.WriteFile(left, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUnknownSet_IsRefused(t *testing.T) {
	err := Make(t.Context(), Config{Out: t.TempDir(), Sets: []string{"goo"}}, os.Stderr)
	if document.KindOf(err) != document.InvalidRequest {
		t.Errorf("%v", err)
	}
}
