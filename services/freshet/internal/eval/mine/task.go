package mine

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
)

// The kinds of task.
const (
	KindDocstring = "docstring"
	KindHeading   = "heading"
	KindCommit    = "commit"
	KindNone      = "none" // nothing in the corpus answers
)

// Kinds lists every kind.
var Kinds = []string{KindDocstring, KindHeading, KindCommit, KindNone}

// Target is a passage or, with no lines, a file that answers a task.
type Target struct {
	Path string `json:"path"` // relative to the corpus, as the file system has it
	// StartLine and EndLine count from 1, both included, in the corpus that is
	// written.
	StartLine int     `json:"start_line,omitempty"`
	EndLine   int     `json:"end_line,omitempty"`
	Grade     float64 `json:"grade"`
}

// Task is a question and what answers it: a line of a task file.
type Task struct {
	ID         string   `json:"id"`
	Query      string   `json:"query"`
	Category   string   `json:"category"`
	Language   string   `json:"language,omitempty"`
	Group      string   `json:"group"` // tasks of one corpus belong together
	Kind       string   `json:"kind"`
	Relevant   []Target `json:"relevant"`
	N          int      `json:"n,omitempty"` // true number of targets, 0 for those that are known
	Answerable bool     `json:"answerable"`
	// Commit is the state of the repository in which to ask; "" for the corpus.
	Commit string `json:"commit,omitempty"`
}

// NewTask names a task by what it consists of, so that the same corpus gives the
// same names.
func NewTask(group, kind, language, query string, relevant ...Target) Task {
	t := Task{
		Query: query, Category: kind, Language: language, Group: group, Kind: kind,
		Relevant: relevant, N: len(relevant), Answerable: len(relevant) > 0,
	}
	if t.Relevant == nil {
		t.Relevant = []Target{}
	}
	sum := sha256.New()
	for _, part := range []string{group, kind, query} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	for _, r := range relevant {
		fmt.Fprintf(sum, "%d:%s", len(r.Path), r.Path)
	}
	t.ID = hex.EncodeToString(sum.Sum(nil)[:6])
	return t
}

// WriteTasks writes a task a line.
func WriteTasks(file string, tasks []Task) error {
	f, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("write the tasks: %w", err)
	}
	w := bufio.NewWriter(f)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for _, t := range tasks {
		if err := lines.Encode(t); err != nil {
			_ = f.Close()
			return fmt.Errorf("write the task %s: %w", t.ID, err)
		}
	}
	if err := w.Flush(); err != nil {
		_ = f.Close()
		return fmt.Errorf("write the tasks: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write the tasks: %w", err)
	}
	return nil
}

// ReadTasks reads what WriteTasks has written.
func ReadTasks(file string) ([]Task, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the tasks: %w", err)
	}
	defer f.Close()
	var out []Task
	for lines := json.NewDecoder(bufio.NewReader(f)); lines.More(); {
		var t Task
		if err := lines.Decode(&t); err != nil {
			return nil, fmt.Errorf("read task %d of %s: %w", len(out)+1, file, err)
		}
		out = append(out, t)
	}
	return out, nil
}
