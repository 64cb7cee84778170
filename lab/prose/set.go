package prose

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/freshet-dev/freshet/lab/mine"
)

// Set is a collection as files, and what is asked of them.
type Set struct {
	Name  string
	Files map[string]string // text by name
	Tasks []Task
}

// Task is a question and the names of the files that answer it, as `freshet
// eval` reads it.
type Task struct {
	ID       string   `json:"id"`
	Set      string   `json:"repo"`
	Query    string   `json:"query"`
	Category string   `json:"category"`
	N        int      `json:"n"`
	Relevant []string `json:"relevant"`
	Language string   `json:"language"`
	Complete bool     `json:"complete"`
}

func (s *Set) ask(id, query, language string, relevant []string) {
	s.Tasks = append(s.Tasks, Task{ID: id, Set: s.Name, Query: query, Category: "prose", N: len(relevant), Relevant: relevant, Language: language, Complete: true})
}

// Write writes a set below a folder of its name: its files, and its tasks.
func (s *Set) Write(out string) (err error) {
	corpus := filepath.Join(out, s.Name, mine.CorpusFolder)
	if err := os.MkdirAll(corpus, 0o755); err != nil {
		return fmt.Errorf("make the folder of %s: %w", s.Name, err)
	}
	for name, text := range s.Files {
		if err := os.WriteFile(filepath.Join(corpus, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write a file of %s: %w", s.Name, err)
		}
	}
	f, err := os.Create(filepath.Join(out, s.Name, mine.TasksFile))
	if err != nil {
		return fmt.Errorf("write the tasks of %s: %w", s.Name, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := json.NewEncoder(f)
	for _, t := range s.Tasks {
		if err := lines.Encode(t); err != nil {
			return fmt.Errorf("write the tasks of %s: %w", s.Name, err)
		}
	}
	return nil
}
