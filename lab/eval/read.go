package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// longestLine bounds a line of a task file in bytes; a longer one is no task.
const longestLine = 4 << 20

// Read returns the tasks of files in their order: golden questions from .yaml
// and .yml, a task a line from all others. The error names file, line, what is
// wrong and what would be right.
func Read(files ...string) ([]Task, error) {
	var tasks []Task
	at := map[string]Task{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, document.Errorf(document.NotFound, "cannot read the tasks: %w: name a file of tasks, a JSON object a line, or of golden questions in YAML", err)
		}
		read := readLines
		switch strings.ToLower(filepath.Ext(file)) {
		case ".yaml", ".yml":
			read = readGolden
		}
		list, err := read(file, text)
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			if first, twice := at[t.ID]; twice {
				return nil, t.wrong("the id %q is that of %s line %d already: give each task one of its own", t.ID, first.file, first.line)
			}
			at[t.ID] = t
			tasks = append(tasks, t)
		}
	}
	if len(tasks) == 0 {
		return nil, document.Errorf(document.InvalidRequest, "%s: there is no task: write one a line, see docs/how-to/evaluate.md", strings.Join(files, ", "))
	}
	return tasks, nil
}

// readLines reads a JSON object a line; empty lines do not count.
func readLines(file string, text []byte) ([]Task, error) {
	var tasks []Task
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, longestLine)
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		t := Task{}
		if err := json.Unmarshal(line, &t); err != nil {
			return nil, Task{file: file, line: n}.wrong("this is no task (%w): write an object such as %s", err, example)
		}
		t.file, t.line = file, n
		if err := t.check(); err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	if err := lines.Err(); err != nil {
		return nil, Task{file: file, line: n + 1}.wrong("the line cannot be read (%w): keep a task below %d MiB", err, longestLine>>20)
	}
	return tasks, nil
}

// example is a task for error messages.
const example = `{"id": "1", "query": "how is a path encoded", "relevant": ["pkg/path.go"]}`

// wrong is an error about the place where the task was read.
func (t Task) wrong(format string, args ...any) error {
	return document.Errorf(document.InvalidRequest, "%s line %d: "+format, append([]any{t.file, t.line}, args...)...)
}

// check completes the task, or says what is wrong with it.
func (t *Task) check() error {
	switch {
	case t.ID == "":
		return t.wrong("the task has no id: add one that no other task has, such as \"id\": \"%d\"", t.line)
	case strings.TrimSpace(t.Query) == "":
		return t.wrong("the task %s asks nothing: add a \"query\"", t.ID)
	case t.Unanswerable && len(t.Relevant) > 0:
		return t.wrong("the task %s is not answerable, and %s answers it: leave one of them out", t.ID, t.Relevant[0])
	case !t.Unanswerable && len(t.Relevant) == 0:
		return t.wrong("the task %s names nothing that answers it: add \"relevant\" paths, or say \"answerable\": false", t.ID)
	case t.N < 0:
		return t.wrong("the task %s has the number n %d: leave it out, or give the number of relevant targets", t.ID, t.N)
	}
	if t.Source != "" {
		if _, err := document.ParseSource(string(t.Source)); err != nil {
			return t.wrong("the task %s: %w", t.ID, err)
		}
	}
	for i := range t.Relevant {
		if err := t.checkTarget(&t.Relevant[i]); err != nil {
			return err
		}
	}
	if known := len(goals(t, OverChunks)); t.N > 0 && t.N < known {
		return t.wrong("the task %s has the number n %d, and %d relevant targets: leave n out, or give their true number", t.ID, t.N, known)
	}
	return nil
}

func (t *Task) checkTarget(g *Target) error {
	g.Path = plain(g.Path)
	switch {
	case g.Path == "":
		return t.wrong("a relevant target of the task %s has no path: give one relative to the root of its source", t.ID)
	case filepath.IsAbs(g.Path):
		return t.wrong("the path %s of the task %s is absolute: give it relative to the root of its source", g.Path, t.ID)
	case g.StartLine == 0 && g.EndLine > 0, g.StartLine < 0:
		return t.wrong("%s in the task %s begins at line %d: lines count from 1", g.Path, t.ID, g.StartLine)
	case g.EndLine == 0:
		g.EndLine = g.StartLine
	case g.EndLine < g.StartLine:
		return t.wrong("%s in the task %s ends at line %d, before its beginning at %d: exchange them", g.Path, t.ID, g.EndLine, g.StartLine)
	}
	if g.Grade < 0 {
		return t.wrong("%s in the task %s has the grade %v: give one above 0, or leave it out for 1", g.Path, t.ID, g.Grade)
	}
	if g.Grade == 0 {
		g.Grade = 1
	}
	return nil
}

// strict decodes one JSON value without a field that is not known, and nothing
// behind it.
func strict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	return nil
}
