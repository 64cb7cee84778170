package mine

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"github.com/freshet-dev/freshet/lab/eval"
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

// NewTask names a task by what it consists of, so that the same corpus gives the
// same names.
func NewTask(group, kind, language, query string, relevant ...eval.Target) eval.Task {
	t := eval.Task{
		Query: query, Category: kind, Language: language, Group: group, Kind: kind,
		Relevant: relevant, N: len(relevant), Unanswerable: len(relevant) == 0,
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
func WriteTasks(file string, tasks []eval.Task) error {
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
