package eval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func written(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTask_IsReadAsItWasWritten(t *testing.T) {
	file := written(t, "t.jsonl", `{"id":"1","query":"q","category":"symbol","language":"go","group":"g","kind":"docstring","source":"s","commit":"c0ffee","n":3,"relevant":["./a.go",{"path":"b.go","start_line":3,"end_line":9,"grade":2},{"path":"c.go","start_line":4}]}

{"id":"2","query":"nowhere","relevant":[],"answerable":false}
{"id": "04e3", "repo": "aeson", "query": "how", "category": "semantic", "n": 1, "relevant": ["src/Data/FromJSON.hs"], "language": "haskell", "root": "src/Data", "complete": true}
`)
	got, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []Task{
		{ID: "1", Query: "q", Category: "symbol", Language: "go", Group: "g", Kind: "docstring", Source: "s", Commit: "c0ffee", N: 3, file: file, line: 1, Relevant: []Target{
			{Path: "a.go", Grade: 1}, {Path: "b.go", StartLine: 3, EndLine: 9, Grade: 2}, {Path: "c.go", StartLine: 4, EndLine: 4, Grade: 1},
		}},
		{ID: "2", Query: "nowhere", Relevant: []Target{}, Unanswerable: true, file: file, line: 3},
		{ID: "04e3", Query: "how", Category: "semantic", Language: "haskell", Group: "aeson", Root: "src/Data", N: 1, file: file, line: 4, Relevant: []Target{
			{Path: "src/Data/FromJSON.hs", Grade: 1},
		}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	// What is written reads the same.
	var lines strings.Builder
	for _, task := range got {
		raw, err := json.Marshal(task)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(raw, '\n'))
	}
	again, err := Read(written(t, "t.jsonl", lines.String()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range again {
		again[i].file, again[i].line = got[i].file, got[i].line
	}
	if !reflect.DeepEqual(again, got) {
		t.Errorf("written and read\n     %+v\nwant %+v", again, got)
	}
}

func TestGoldenQuestion_IsReadAsItWasWritten(t *testing.T) {
	file := written(t, "q.yaml", `# Questions about the guide.
- question: How do I set a limit?
  category: how-to
  answers:
    - guide/limits.md
    - path: guide/start.md
      heading: Set a limit
    - path: guide/all.md
      lines: 10-20
      grade: 1
- id: none
  question: Does it fly?
  answerable: false
`)
	got, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []Task{
		{ID: got[0].ID, Query: "How do I set a limit?", Category: "how-to", Kind: "golden", file: file, line: 2, Relevant: []Target{
			{Path: "guide/limits.md", Grade: 2}, {Path: "guide/start.md", Heading: "Set a limit", Grade: 2}, {Path: "guide/all.md", StartLine: 10, EndLine: 20, Grade: 1},
		}},
		{ID: "none", Query: "Does it fly?", Kind: "golden", Unanswerable: true, file: file, line: 11},
	}
	if len(got[0].ID) != 12 || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	below, err := Read(written(t, "q.yml", "questions:\n  - question: q\n    answers: [a.md]\n"))
	if err != nil || len(below) != 1 || below[0].Relevant[0].Path != "a.md" {
		t.Errorf("%+v, %v", below, err)
	}
}

// One sentence names file, line, what is wrong, and what would be right.
func TestWrongTaskFile_IsRefusedByLine(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		parts      []string
	}{
		"no JSON":           {"t.jsonl", "{\"id\":\"1\",\"query\":\"q\",\"relevant\":[\"a\"]}\nquery: q\n", []string{"t.jsonl line 2", "write an object"}},
		"unknown field":     {"t.jsonl", `{"id":"1","question":"q","relevant":["a"]}`, []string{"line 1", "question"}},
		"two on a line":     {"t.jsonl", `{"id":"1","query":"q","relevant":["a"]} {}`, []string{"line 1", "write an object"}},
		"no id":             {"t.jsonl", `{"query":"q","relevant":["a"]}`, []string{"line 1", "no id", "add one"}},
		"no query":          {"t.jsonl", `{"id":"1","query":" ","relevant":["a"]}`, []string{"line 1", "asks nothing", "add a \"query\""}},
		"nothing relevant":  {"t.jsonl", "\n\n" + `{"id":"1","query":"q"}`, []string{"line 3", "names nothing", "\"answerable\": false"}},
		"both":              {"t.jsonl", `{"id":"1","query":"q","relevant":["a"],"answerable":false}`, []string{"not answerable", "leave one"}},
		"twice":             {"t.jsonl", `{"id":"1","query":"q","relevant":["a"]}` + "\n" + `{"id":"1","query":"r","relevant":["a"]}`, []string{"line 2", "line 1 already", "one of its own"}},
		"absolute":          {"t.jsonl", `{"id":"1","query":"q","relevant":["/etc/a"]}`, []string{"/etc/a", "relative"}},
		"no path":           {"t.jsonl", `{"id":"1","query":"q","relevant":[{"start_line":3}]}`, []string{"no path"}},
		"unknown of target": {"t.jsonl", `{"id":"1","query":"q","relevant":[{"path":"a","line":3}]}`, []string{"line 1", `"line"`}},
		"lines backwards":   {"t.jsonl", `{"id":"1","query":"q","relevant":[{"path":"a","start_line":9,"end_line":3}]}`, []string{"ends at line 3", "exchange"}},
		"end alone":         {"t.jsonl", `{"id":"1","query":"q","relevant":[{"path":"a","end_line":3}]}`, []string{"begins at line 0"}},
		"n too small":       {"t.jsonl", `{"id":"1","query":"q","n":1,"relevant":["a","b"]}`, []string{"n 1", "2 relevant"}},
		"negative grade":    {"t.jsonl", `{"id":"1","query":"q","relevant":[{"path":"a","grade":-1}]}`, []string{"grade -1"}},
		"no source":         {"t.jsonl", `{"id":"1","query":"q","source":"No Slug","relevant":["a"]}`, []string{"line 1", "No Slug"}},
		"empty":             {"t.jsonl", "\n", []string{"no task"}},
		"no YAML":           {"q.yaml", "- question: [", []string{"q.yaml line 1"}},
		"no list":           {"q.yaml", "\nquestion: q\n", []string{"q.yaml line 2", "write a list"}},
		"unknown key":       {"q.yaml", "- question: q\n  answer: a.md\n", []string{"line 2", "answer"}},
		"no question":       {"q.yaml", "- answers: [a.md]\n", []string{"line 1", "no question"}},
		"no answers":        {"q.yaml", "- question: q\n", []string{"line 1", "names nothing"}},
		"lines of words":    {"q.yaml", "- question: q\n  answers:\n    - path: a\n      lines: first\n", []string{"line 1", "first", "12-30"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(written(t, c.file, c.text))
			if document.KindOf(err) != document.InvalidRequest || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %v, want one sentence", err)
			}
			for _, p := range c.parts {
				if !strings.Contains(err.Error(), p) {
					t.Errorf("%q does not say %q", err, p)
				}
			}
		})
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.jsonl")); document.KindOf(err) != document.NotFound {
		t.Errorf("of a file that is not there: %v", err)
	}
}
