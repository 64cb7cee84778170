// Package golden is a set of questions that were written by hand about the
// documentation of Go modules at fixed versions. It brings the documents from the
// module cache or a module proxy, checked against their sums, and writes them
// beside the questions as tasks.
package golden

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/freshet-dev/freshet/services/freshet/internal/eval/mine"
)

//go:embed documents.yaml
var documentsYAML []byte

//go:embed questions.yaml
var questionsYAML []byte

// Documents are some of the files of a module.
type Documents struct {
	// Name is the folder that they become.
	Name    string `yaml:"name"`
	Module  string `yaml:"module"`
	Version string `yaml:"version"`
	// Sum is that of the whole module, as go.sum has it.
	Sum string `yaml:"sum"`
	// Files are files and folders of the module, of which Markdown is taken;
	// Without are left out.
	Files   []string `yaml:"files"`
	Without []string `yaml:"without"`
}

// Question is one of the set.
type Question struct {
	Question string   `yaml:"question"`
	Category string   `yaml:"category"`
	Answers  []Answer `yaml:"answers"`
}

// Answer is a place that answers.
type Answer struct {
	Path    string  `yaml:"path"`    // the name of Documents, then the path in the module
	Heading string  `yaml:"heading"` // of the section, without markup; "" for the whole file
	Grade   float64 `yaml:"grade"`   // 1 for one that helps; 0 stands for 2, one that answers
}

// kind is what the tasks are called.
const kind = "golden"

// Load returns the documents and questions of the set.
func Load() ([]Documents, []Question, error) {
	var documents []Documents
	if err := yaml.UnmarshalWithOptions(documentsYAML, &documents, yaml.Strict()); err != nil {
		return nil, nil, fmt.Errorf("read the list of golden documents: %w", err)
	}
	var questions []Question
	if err := yaml.UnmarshalWithOptions(questionsYAML, &questions, yaml.Strict()); err != nil {
		return nil, nil, fmt.Errorf("read the golden questions: %w", err)
	}
	return documents, questions, nil
}

// Write fills a folder with the documents (corpus) and the tasks on them
// (tasks.jsonl), and returns how many of each. The modules that the cache lacks
// are downloaded.
func Write(ctx context.Context, folder string) (files, tasks int, err error) {
	documents, questions, err := Load()
	if err != nil {
		return 0, 0, err
	}
	corpus := filepath.Join(folder, mine.CorpusFolder)
	for _, d := range documents {
		dir, err := d.fetch(ctx)
		if err != nil {
			return 0, 0, err
		}
		n, err := d.copy(dir, filepath.Join(corpus, d.Name))
		if err != nil {
			return 0, 0, err
		}
		files += n
	}
	list := make([]mine.Task, 0, len(questions))
	for _, q := range questions {
		t, err := q.task(corpus)
		if err != nil {
			return 0, 0, err
		}
		list = append(list, t)
	}
	return files, len(list), mine.WriteTasks(filepath.Join(folder, mine.TasksFile), list)
}

// task resolves the headings of a question in the documents.
func (q Question) task(corpus string) (mine.Task, error) {
	var targets []mine.Target
	for _, a := range q.Answers {
		content, err := os.ReadFile(filepath.Join(corpus, filepath.FromSlash(a.Path)))
		if err != nil {
			return mine.Task{}, fmt.Errorf("the question %q: %w", q.Question, err)
		}
		t := mine.Target{Path: a.Path, Grade: a.Grade}
		if t.Grade == 0 {
			t.Grade = 2
		}
		if a.Heading != "" {
			var ok bool
			if t.StartLine, t.EndLine, ok = mine.Section(content, a.Heading); !ok {
				return mine.Task{}, fmt.Errorf("the question %q: %s has no heading %q", q.Question, a.Path, a.Heading)
			}
		}
		targets = append(targets, t)
	}
	t := mine.NewTask("golden", kind, "markdown", q.Question, targets...)
	t.Category, t.N = q.Category, 0
	return t, nil
}
