package quality

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Task is one question and the files that answer it.
type Task struct {
	ID       string   `json:"id"`
	Repo     string   `json:"repo"`
	Query    string   `json:"query"`
	Category string   `json:"category"`
	N        int      `json:"n"` // true number of relevant files, known or not
	Relevant []string `json:"relevant"`
	Root     string   `json:"root"`
}

// Repo is a repository at one revision, of which only files below Root are
// candidates.
type Repo struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	Revision string `json:"revision"`
	Root     string `json:"root"`
}

// Names of the files of a task set.
const (
	tasksFile = "tasks-dev.jsonl"
	reposFile = "repos-dev.json"
)

// ReadTasks reads the tasks in folder, by repository.
func ReadTasks(folder string) (map[string][]Task, error) {
	name := filepath.Join(folder, tasksFile)
	f, err := os.Open(name)
	if err != nil {
		return nil, document.Errorf(document.NotFound, "cannot read the tasks: %w: name the folder that holds %s", err, tasksFile)
	}
	defer f.Close()
	out := map[string][]Task{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var t Task
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, document.Errorf(document.InvalidRequest, "%s, line %d, is no task: %w", name, n, err)
		}
		out[t.Repo] = append(out[t.Repo], t)
	}
	if err := lines.Err(); err != nil {
		return nil, document.Errorf(document.InvalidRequest, "cannot read %s: %w", name, err)
	}
	return out, nil
}

// ReadRepos reads the repositories in folder, by name.
func ReadRepos(folder string) (map[string]Repo, error) {
	name := filepath.Join(folder, reposFile)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, document.Errorf(document.NotFound, "cannot read the repositories: %w: name the folder that holds %s", err, reposFile)
	}
	var list []Repo
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, document.Errorf(document.InvalidRequest, "%s is no list of repositories: %w", name, err)
	}
	out := map[string]Repo{}
	for _, r := range list {
		out[r.Name] = r
	}
	return out, nil
}
