// Package golden is a set of questions that were written by hand about the
// documentation of Go modules at fixed versions. It brings the documents from the
// module cache or a module proxy, checked against their sums, and writes them
// beside the questions.
package golden

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/mine"
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

// QuestionsFile is what the questions are called beside the documents.
const QuestionsFile = "questions.yaml"

// load returns the documents of the set.
func load() ([]Documents, error) {
	var documents []Documents
	if err := yaml.UnmarshalWithOptions(documentsYAML, &documents, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("read the list of golden documents: %w", err)
	}
	return documents, nil
}

// Modules are the paths of the modules that are asked about.
func Modules() ([]string, error) {
	documents, err := load()
	if err != nil {
		return nil, err
	}
	out := make([]string, len(documents))
	for i, d := range documents {
		out[i] = d.Module
	}
	return out, nil
}

// Versions are these modules with their versions.
func Versions() ([]string, error) {
	documents, err := load()
	if err != nil {
		return nil, err
	}
	out := make([]string, len(documents))
	for i, d := range documents {
		out[i] = d.Module + " " + d.Version
	}
	return out, nil
}

// Write fills a folder with the documents (corpus) and the questions on them, and
// returns how many of each. The modules that the cache lacks are downloaded.
func Write(ctx context.Context, folder string) (files, questions int, err error) {
	documents, err := load()
	if err != nil {
		return 0, 0, err
	}
	for _, d := range documents {
		dir, err := d.fetch(ctx)
		if err != nil {
			return 0, 0, err
		}
		n, err := d.copy(dir, filepath.Join(folder, mine.CorpusFolder, d.Name))
		if err != nil {
			return 0, 0, err
		}
		files += n
	}
	file := filepath.Join(folder, QuestionsFile)
	if err := os.WriteFile(file, questionsYAML, 0o644); err != nil {
		return 0, 0, fmt.Errorf("write the golden questions: %w", err)
	}
	tasks, err := eval.Read(file)
	return files, len(tasks), err
}
