package prose

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/document"
)

// every is which share of the questions of XQuAD is asked: each of this many.
const every = 4

// XQuAD reads a language ("de") of the collection of that name from a folder
// with its files xquad.de.json: paragraphs of an encyclopedia, a Markdown file
// each, and a quarter of the questions about them.
func XQuAD(folder, language string) (*Set, error) {
	file := filepath.Join(folder, "xquad."+language+".json")
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, document.Errorf(document.NotFound, "cannot read the collection: %w", err)
	}
	var collection struct {
		Data []struct {
			Paragraphs []struct {
				Context string `json:"context"`
				QAs     []struct {
					ID       string `json:"id"`
					Question string `json:"question"`
				} `json:"qas"`
			} `json:"paragraphs"`
		} `json:"data"`
	}
	if err := json.Unmarshal(raw, &collection); err != nil {
		return nil, document.Errorf(document.InvalidRequest, "%s is no file of XQuAD: %w", file, err)
	}
	set, n := &Set{Name: "xquad-" + language, Files: map[string]string{}}, 0
	for a, article := range collection.Data {
		for p, paragraph := range article.Paragraphs {
			name := fmt.Sprintf("%02d-%02d.md", a, p)
			set.Files[name] = paragraph.Context + "\n"
			for _, q := range paragraph.QAs {
				if n++; n%every == 0 {
					set.ask(q.ID, q.Question, language, []string{name})
				}
			}
		}
	}
	return set, nil
}
