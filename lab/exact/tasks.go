package exact

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// Tasks writes as many tasks as are to be drawn of names, lines and files (as many
// as frames), a JSON object a line, as `freshet eval` reads them.
func Tasks(ctx context.Context, cfg Config, w io.Writer) error {
	named, err := names(ctx, cfg.Dir)
	if err != nil {
		return err
	}
	copied, err := lines(cfg.Dir)
	if err != nil {
		return err
	}
	out := json.NewEncoder(w)
	for _, k := range []struct {
		kind string
		all  []Question
		n    int
	}{{"name", named, cfg.Names}, {"line", copied, cfg.Lines}, {"file", files(copied), cfg.Frames}} {
		for i, q := range draw(k.all, k.n, cfg.Seed) {
			if err := out.Encode(taskOf(k.kind, i+1, &q)); err != nil {
				return fmt.Errorf("write a task: %w", err)
			}
		}
	}
	return nil
}

// task is one as a task file has it.
type task struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	Query    string   `json:"query"`
	Relevant []target `json:"relevant"`
}

type target struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
}

func taskOf(kind string, n int, q *Question) task {
	t := task{ID: fmt.Sprintf("%s %d", kind, n), Kind: kind, Query: q.Text}
	for _, s := range q.Right {
		t.Relevant = append(t.Relevant, target{s.Path, s.Line, s.Line})
	}
	return t
}

// files are questions for the files that lines are taken from, by their names, with
// the folder where there are several of a name.
func files(of []Question) []Question {
	byName := map[string][]string{}
	for i := range of {
		p := of[i].Right[0].Path
		if name := path.Base(p); !slices.Contains(byName[name], p) {
			byName[name] = append(byName[name], p)
		}
	}
	var all []Question
	for name, paths := range byName {
		for _, p := range paths {
			q := Question{Text: name, Right: []Spot{{Path: p}}}
			if len(paths) > 1 {
				q.Text = path.Join(path.Base(path.Dir(p)), name)
			}
			all = append(all, q)
		}
	}
	slices.SortFunc(all, func(a, b Question) int { return strings.Compare(a.Right[0].Path, b.Right[0].Path) })
	return all
}
