package adapt

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/mine"
	"github.com/freshet-dev/freshet/pkg/document"
)

// FromTasks reads task files, each of which has its corpus beside it, as
// `freshet eval make` writes them.
func FromTasks(files []string) ([]Corpus, error) {
	var out []Corpus
	for _, file := range files {
		tasks, err := eval.Read(file)
		if err != nil {
			return nil, err
		}
		folder := filepath.Join(filepath.Dir(file), mine.CorpusFolder)
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return nil, document.Errorf(document.NotFound, "%s has no folder %s beside it, whose passages answer its questions: name the tasks.jsonl of `freshet eval make`, or the sources themselves with --from", file, mine.CorpusFolder)
		}
		out = append(out, Corpus{folder, answerable(tasks)})
	}
	return out, nil
}

func answerable(tasks []eval.Task) []eval.Task {
	var out []eval.Task
	for _, t := range tasks {
		if !t.Unanswerable {
			out = append(out, t)
		}
	}
	return out
}

// mostMined bounds the pairs of each kind that are made of sources: beyond them
// a table hardly learns more.
const mostMined = 50_000

// Mine makes every pair that the sources have, in the folder out, which need not
// be there. o's sources, rules and parser count.
func Mine(ctx context.Context, o mine.Options, out string) (Corpus, error) {
	o.Out, o.Kinds = out, []string{mine.KindDocstring, mine.KindHeading}
	o.Tasks, o.PerFile = mostMined, mostMined
	made, err := mine.Make(ctx, o)
	if err != nil {
		return Corpus{}, err
	}
	if len(made.Made) == 0 {
		return Corpus{}, document.Errorf(document.InvalidRequest, "nothing in %s asks a question that it answers: name folders with documented code or with prose", strings.Join(made.Sources, ", "))
	}
	tasks, err := eval.Read(filepath.Join(out, mine.TasksFile))
	if err != nil {
		return Corpus{}, err
	}
	return Corpus{filepath.Join(out, mine.CorpusFolder), tasks}, nil
}
