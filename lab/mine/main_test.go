package mine

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
)

// TestMain makes the test binary a parser child when it is started as one.
func TestMain(m *testing.M) {
	cutter.ChildOrReturn()
	os.Exit(m.Run())
}

// tree writes files into a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, files)
	return dir
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// repository makes a git repository; commit commits everything in it.
func repository(t *testing.T) (dir string, commit func(message string) string) {
	t.Helper()
	dir = t.TempDir()
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q", "-b", "main")
	return dir, func(message string) string {
		run("add", "-A")
		run("commit", "-q", "--allow-empty", "-m", message)
		return run("rev-parse", "HEAD")
	}
}

// options are those of a test, with defaults of a fresh configuration.
func options(t *testing.T, source string) Options {
	t.Helper()
	cfg, err := config.Load("")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Data = t.TempDir()
	return Options{Config: cfg, Sources: []Source{{Path: source}}, Out: filepath.Join(t.TempDir(), "out"), Group: "test"}
}

// makeTasks runs Make and reads the tasks on the corpus.
func makeTasks(t *testing.T, o Options) (Report, []eval.Task) {
	t.Helper()
	r, err := Make(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(o.Out, TasksFile)
	if info, err := os.Stat(file); err == nil && info.Size() == 0 {
		return r, nil // which is no task file
	}
	tasks, err := eval.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return r, tasks
}

// corpusLines returns the lines of a file of the corpus that was written.
func corpusLines(t *testing.T, o Options, name string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(o.Out, CorpusFolder, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
}
