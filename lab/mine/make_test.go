package mine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/document"
)

const goFile = `package queue

import "sync"

// Push appends a message behind everything that waits already
// and wakes one of the readers.
func (q *Queue) Push(m []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = append(q.list, m)
}

// Drain waits until nothing is left, or the deadline passes. It may be
// called from several goroutines.
func (q *Queue) Drain() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return nil
}

// Len is the length.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.list)
}
`

const pyFile = `import os


class Store:
    def load(self, name):
        """Reads a snapshot from the disk and checks its sum against the header.

        Raises an error otherwise.
        """
        with open(name) as f:
            return f.read()
`

const mdFile = `# Guide

Words before.

## How to rotate the signing keys

Keys are rotated by the control plane. First make a new pair, then tell every
agent about it, and remove the old pair when the last agent has said that it
has the new one. An agent that was away for long asks for the new pair itself.

` + "```" + `
# Not a heading at all here
` + "```" + `

## Usage

Run it.
`

func corpus3(t *testing.T) string {
	return tree(t, map[string]string{"queue/queue.go": goFile, "store.py": pyFile, "docs/guide.md": mdFile})
}

// The lines of a task have to be those of the function in the corpus that is
// written, from which the comment is gone.
func TestDocstring_IsTakenOutAndItsLinesAreRight(t *testing.T) {
	o := options(t, corpus3(t))
	o.Kinds = []string{KindDocstring}
	o.PerFile = 5
	r, tasks := makeTasks(t, o)
	if len(tasks) != 3 {
		t.Fatalf("%+v\n%+v", tasks, r)
	}
	want := map[string][2]string{
		"appends a message behind everything that waits already and wakes one of the readers": {"func (q *Queue) Push(m []byte) {", "}"},
		"waits until nothing is left, or the deadline passes":                                 {"func (q *Queue) Drain() error {", "}"},
		"Reads a snapshot from the disk and checks its sum against the header":                {"    def load(self, name):", "            return f.read()"},
	}
	for _, task := range tasks {
		edges, ok := want[task.Query]
		if !ok || len(task.Relevant) != 1 || task.N != 1 || task.Unanswerable || task.Group != "test" {
			t.Errorf("%+v", task)
			continue
		}
		target := task.Relevant[0]
		lines := corpusLines(t, o, target.Path)
		if first, last := lines[target.StartLine-1], lines[target.EndLine-1]; first != edges[0] || last != edges[1] {
			t.Errorf("%s: lines %d to %d are %q to %q", task.Query, target.StartLine, target.EndLine, first, last)
		}
		all := strings.Join(lines, "\n")
		for _, piece := range []string{"wakes one", "deadline passes", "snapshot from"} {
			if strings.Contains(all, piece) {
				t.Errorf("%q is still in %s", piece, target.Path)
			}
		}
	}
	if all := strings.Join(corpusLines(t, o, "queue/queue.go"), "\n"); !strings.Contains(all, "// Len is the length.") {
		t.Error("a comment that nobody asks with is gone")
	}
	if !slices.Contains(r.Left, Left{KindDocstring, tooShort, 1}) {
		t.Errorf("left: %+v", r.Left)
	}
	// The original is as it was.
	if content, err := os.ReadFile(filepath.Join(o.Sources[0].Path, "store.py")); err != nil || string(content) != pyFile {
		t.Errorf("the source was changed: %v", err)
	}
}

func TestHeading_IsTakenOutAboveItsSection(t *testing.T) {
	o := options(t, corpus3(t))
	o.Kinds = []string{KindHeading}
	_, tasks := makeTasks(t, o)
	if len(tasks) != 1 || tasks[0].Query != "How to rotate the signing keys" {
		t.Fatalf("%+v", tasks)
	}
	target, lines := tasks[0].Relevant[0], corpusLines(t, o, "docs/guide.md")
	if lines[target.StartLine-1] != "##" || !strings.HasPrefix(lines[target.StartLine+1], "Keys are rotated") || lines[target.EndLine] != "## Usage" {
		t.Errorf("%+v of\n%s", target, strings.Join(lines, "\n"))
	}
	if strings.Contains(strings.Join(lines, "\n"), "rotate the signing") {
		t.Error("the heading is still there")
	}
}

func TestQuestionWithoutAnswer_HasNone(t *testing.T) {
	files := map[string]string{}
	for _, name := range strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega") {
		files["pkg/"+name+"/"+name+".go"] = "package " + name + "\n\n// Run" + name + " walks over every " + name + " entry of the register once.\nfunc Run" + name + "() {\n\tprintln(1)\n}\n"
		files["pkg/"+name+"/"+name+"_linux.go"] = "package " + name + "\n"
	}
	o := options(t, tree(t, files))
	o.Kinds = []string{KindNone}
	o.Tasks = 2
	r, tasks := makeTasks(t, o)
	if len(tasks) != 2 || r.LeftOut != 4 || r.Files != len(files)-4 {
		t.Fatalf("%+v\n%+v", tasks, r)
	}
	for _, task := range tasks {
		if !task.Unanswerable || len(task.Relevant) > 0 || task.N != 0 || task.Kind != KindNone {
			t.Errorf("%+v", task)
		}
		name := strings.Fields(task.Query)[3]
		if _, err := os.Stat(filepath.Join(o.Out, CorpusFolder, "pkg", name)); !os.IsNotExist(err) {
			t.Errorf("%s is still in the corpus: %v", name, err)
		}
	}
}

func TestSameSeed_MakesTheSameTasks(t *testing.T) {
	source := corpus3(t)
	var before []eval.Task
	for i := range 2 {
		o := options(t, source)
		o.Seed = 7
		o.Group = "same"
		_, tasks := makeTasks(t, o)
		if i > 0 && len(tasks) != len(before) {
			t.Fatalf("%d tasks, then %d", len(before), len(tasks))
		}
		for k := range before {
			if tasks[k].ID != before[k].ID || tasks[k].Query != before[k].Query {
				t.Errorf("%+v became %+v", before[k], tasks[k])
			}
		}
		before = tasks
	}
}

func TestRepeatedComment_IsNotAsked(t *testing.T) {
	body := "// Send puts the frame on the wire and waits for the receipt.\nfunc Send%() {\n\tprintln(1)\n}\n"
	o := options(t, tree(t, map[string]string{
		"a/a.go": "package a\n\n" + strings.ReplaceAll(body, "%", "A"),
		"b/b.go": "package b\n\n" + strings.ReplaceAll(body, "%", "B"),
	}))
	o.Kinds = []string{KindDocstring}
	r, tasks := makeTasks(t, o)
	if len(tasks) > 0 || !slices.Contains(r.Left, Left{KindDocstring, elsewhere, 2}) {
		t.Errorf("%+v\n%+v", tasks, r.Left)
	}
}

func TestFolderOfSomebody_IsNotOverwritten(t *testing.T) {
	o := options(t, corpus3(t))
	put(t, o.Out, map[string]string{"mine.txt": "x"})
	if _, err := Make(t.Context(), o); document.KindOf(err) != document.Conflict {
		t.Errorf("%v", err)
	}
}

func TestCorpusInAWorkTree_IsRefused(t *testing.T) {
	dir, commit := repository(t)
	commit("Begin")
	o := options(t, corpus3(t))
	o.Out = filepath.Join(dir, "tasks")
	if _, err := Make(t.Context(), o); document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), "outside of it") {
		t.Errorf("%v", err)
	}
}

func TestSourcesOfOneName_AreRefused(t *testing.T) {
	o := options(t, "/a/src")
	o.Sources = append(o.Sources, Source{Path: "/b/src"})
	if _, err := Make(t.Context(), o); document.KindOf(err) != document.InvalidRequest {
		t.Errorf("%v", err)
	}
}

func TestSeveralSources_AreKeptApart(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	put(t, a, map[string]string{"queue.go": goFile})
	put(t, b, map[string]string{"store.py": pyFile})
	o := options(t, a)
	o.Sources = append(o.Sources, Source{Path: b, Name: "other"})
	o.Kinds = []string{KindDocstring, KindCommit}
	r, tasks := makeTasks(t, o)
	var paths []string
	for _, task := range tasks {
		paths = append(paths, task.Relevant[0].Path)
	}
	slices.Sort(paths)
	if !slices.Equal(slices.Compact(paths), []string{"one/queue.go", "other/store.py"}) || len(r.Notes) != 1 {
		t.Errorf("%v, %v", paths, r.Notes)
	}
}
