package quality

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Default names the repositories for daily work: eight languages, quickly
// indexed.
var Default = []string{"aiohttp", "alamofire", "gin", "gson", "libuv", "serde", "sinatra", "zod"}

// Names of the files of a task set.
const (
	tasksFile = "tasks-dev.jsonl"
	reposFile = "repos-dev.json"
)

// Repo is a repository at one revision, of which only files below Root are
// candidates.
type Repo struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	Revision string `json:"revision"`
	Root     string `json:"root"`
}

// readRepos reads the repositories in folder, by name.
func readRepos(folder string) (map[string]Repo, error) {
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

// readTasks reads the tasks in folder, by repository.
func readTasks(folder string) (map[string][]eval.Task, error) {
	list, err := eval.Read(filepath.Join(folder, tasksFile))
	if err != nil {
		return nil, err
	}
	out := map[string][]eval.Task{}
	for _, t := range list {
		out[t.Group] = append(out[t.Group], t)
	}
	return out, nil
}

// chosen returns the names to measure, sorted.
func chosen(names []string, repos map[string]Repo) ([]string, error) {
	switch {
	case len(names) == 0:
		names = Default
	case slices.Equal(names, []string{"all"}):
		names = nil
		for name := range repos {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if _, ok := repos[name]; !ok {
			return nil, document.Errorf(document.NotFound, "the task set has no repository %q: see %s", name, reposFile)
		}
	}
	out := slices.Clone(names)
	slices.Sort(out)
	return slices.Compact(out), nil
}
