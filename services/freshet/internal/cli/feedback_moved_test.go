package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
)

// Between the event and the export the passage moves down its file, and another
// one goes with its file.
func TestPassageMovedSinceTheEvent_ItsLinesOfNowAreExported(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\nOf boats there is much to tell, and it is told here at some length.\n", 40)
	folder := tree(t, map[string]string{
		"birds.md": "# Birds\n\nOf birds.\n\n## Herons\n\nHerons stand in the reeds." + strings.Repeat(" They wait.", 80) + "\n",
		"gone.md":  "# Herons\n\nHerons stand.\n",
	})
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	file := filepath.Join(folder, "birds.md")
	must(t, "feedback", "up", file+":5-7", "--query", "herons", "--data", i.data)
	must(t, "feedback", "up", filepath.Join(folder, "gone.md"), "--query", "herons", "--data", i.data)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	put(t, file, strings.Replace(string(text), "## Herons", "## Boats\n"+long+"\n## Herons", 1))
	if err := os.Remove(filepath.Join(folder, "gone.md")); err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(must(t, "token", file, filepath.Join(folder, "gone.md"), "--data", i.data))
	must(t, "search", "herons", "--token", token, "--deadline", "60s", "--data", i.data)

	tasks := filepath.Join(t.TempDir(), "tasks.jsonl")
	r := run(t, "feedback", "export", tasks, "--data", i.data)
	read, err := eval.Read(tasks)
	if err != nil || r.code != 0 || !strings.Contains(r.stderr, "1 hit left out") {
		t.Fatalf("%v, exit %d: %s%s", err, r.code, r.stdout, r.stderr)
	}
	now, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(now), "\n")
	if len(read) != 1 || len(read[0].Relevant) != 1 {
		t.Fatalf("%+v", read)
	}
	if at := read[0].Relevant[0]; at.StartLine < 80 || at.EndLine > len(lines) || !strings.Contains(strings.Join(lines[at.StartLine-1:at.EndLine], "\n"), "## Herons") {
		t.Errorf("%+v", at)
	}
	i.stop()
}
