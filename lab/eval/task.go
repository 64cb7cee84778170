package eval

import (
	"encoding/json"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Task is one question and what answers it.
type Task struct {
	ID       string
	Query    string
	Category string
	Language string
	// Group is the repository or corpus that the task is from: tasks of one
	// group are alike, and are resampled together.
	Group string
	Kind  string // how the task came to be, such as golden or docstring
	// Relevant are the known targets. A task that is not Unanswerable has at
	// least one.
	Relevant []Target
	// N is the true number of targets, also where not all of them are known;
	// 0 stands for as many as are known.
	N int
	// Unanswerable says that nothing in the corpus answers the question.
	Unanswerable bool
	// Source is the only one that is asked; "" for all that are watched.
	Source document.Source
	// Commit is the state of the repository that is asked; "" for the present
	// one.
	Commit string
	// Root is the folder of the repository that is indexed. Paths of targets
	// are relative to the repository, those of hits may be relative to Root.
	Root string

	file string // where it was read, for sentences
	line int
}

// Target is a file, or a passage of it.
type Target struct {
	// Path is relative to the root of its source, as the file system has it.
	Path string `json:"path"`
	// StartLine and EndLine count from 1, both included; 0 and 0 stand for the
	// whole file.
	StartLine int `json:"start_line,omitempty"`
	EndLine   int `json:"end_line,omitempty"`
	// Heading is one of the headings above the passage; "" for any.
	Heading string `json:"heading,omitempty"`
	// Grade is the gain of finding it; 0 stands for 1.
	Grade float64 `json:"grade,omitempty"`

	spans []span // of the sections that Heading names, once they are known
}

// String names the target as hits are printed.
func (t Target) String() string {
	switch {
	case t.StartLine > 0:
		return fmt.Sprintf("%s:%d-%d", t.Path, t.StartLine, t.EndLine)
	case t.Heading != "":
		return t.Path + " > " + t.Heading
	}
	return t.Path
}

// UnmarshalJSON takes an object, or a string that is the path.
func (t *Target) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &t.Path)
	}
	type plain Target // without this method
	return strict(raw, (*plain)(t))
}

// record is a task as a line of JSON has it.
type record struct {
	ID         string          `json:"id"`
	Query      string          `json:"query"`
	Category   string          `json:"category,omitempty"`
	Language   string          `json:"language,omitempty"`
	Group      string          `json:"group,omitempty"`
	Kind       string          `json:"kind,omitempty"`
	Relevant   []Target        `json:"relevant"`
	N          int             `json:"n,omitempty"`
	Answerable *bool           `json:"answerable,omitempty"`
	Source     document.Source `json:"source,omitempty"`
	Commit     string          `json:"commit,omitempty"`
	Root       string          `json:"root,omitempty"`
	// The published tasks call the group so, and say whether N are known.
	Repo     string `json:"repo,omitempty"`
	Complete *bool  `json:"complete,omitempty"`
}

// MarshalJSON writes the task as one line of a task file.
func (t Task) MarshalJSON() ([]byte, error) {
	r := record{
		ID: t.ID, Query: t.Query, Category: t.Category, Language: t.Language, Group: t.Group, Kind: t.Kind,
		Relevant: t.Relevant, N: t.N, Source: t.Source, Commit: t.Commit, Root: t.Root,
	}
	if r.Relevant == nil {
		r.Relevant = []Target{}
	}
	if t.Unanswerable {
		r.Answerable = new(bool)
	}
	return json.Marshal(r)
}

// UnmarshalJSON reads a line of a task file. It does not check the task.
func (t *Task) UnmarshalJSON(raw []byte) error {
	var r record
	if err := strict(raw, &r); err != nil {
		return err
	}
	if r.Group == "" {
		r.Group = r.Repo
	}
	*t = Task{
		ID: r.ID, Query: r.Query, Category: r.Category, Language: r.Language, Group: r.Group, Kind: r.Kind,
		Relevant: r.Relevant, N: r.N, Unanswerable: r.Answerable != nil && !*r.Answerable, Source: r.Source, Commit: r.Commit, Root: r.Root,
	}
	return nil
}
