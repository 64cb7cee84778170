package eval

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/freshet-dev/freshet/pkg/document"
)

// question is a golden question as a person writes it.
type question struct {
	ID         string          `yaml:"id"`
	Question   string          `yaml:"question"`
	Answers    []answered      `yaml:"answers"`
	Category   string          `yaml:"category"`
	Language   string          `yaml:"language"`
	Group      string          `yaml:"group"`
	Source     document.Source `yaml:"source"`
	Answerable *bool           `yaml:"answerable"`
}

// answered is a place that answers a question.
type answered struct {
	Path    string  `yaml:"path"`
	Heading string  `yaml:"heading"`
	Lines   string  `yaml:"lines"` // 12 or 12-30
	Grade   float64 `yaml:"grade"` // 0 stands for gradeAnswers
}

// gradeAnswers is that of a place that answers the question; one that only
// helps has the grade 1.
const gradeAnswers = 2

// UnmarshalYAML takes a mapping, or a string that is the path.
func (a *answered) UnmarshalYAML(decode func(any) error) error {
	if decode(&a.Path) == nil {
		return nil
	}
	a.Path = ""
	type plain answered // without this method
	return decode((*plain)(a))
}

// kindGolden is the kind of the tasks that a person has written.
const kindGolden = "golden"

// readGolden reads a list of golden questions, or a mapping that has it under
// "questions".
func readGolden(file string, text []byte) ([]Task, error) {
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, wrongYAML(file, 1, err)
	}
	var tasks []Task
	for _, doc := range tree.Docs {
		list, err := questionNodes(file, doc.Body)
		if err != nil {
			return nil, err
		}
		for _, node := range list {
			t, err := goldenTask(file, node)
			if err != nil {
				return nil, err
			}
			tasks = append(tasks, t)
		}
	}
	return tasks, nil
}

func questionNodes(file string, body ast.Node) ([]ast.Node, error) {
	switch n := body.(type) {
	case nil, *ast.CommentNode, *ast.CommentGroupNode:
		return nil, nil
	case *ast.SequenceNode:
		return n.Values, nil
	case *ast.MappingNode:
		for _, pair := range n.Values {
			if list, ok := pair.Value.(*ast.SequenceNode); ok && pair.Key.String() == "questions" {
				return list.Values, nil
			}
		}
	}
	return nil, Task{file: file, line: lineOf(body)}.wrong("these are no golden questions: write a list, each with \"question\" and \"answers\"")
}

func goldenTask(file string, node ast.Node) (Task, error) {
	var q question
	if err := yaml.NodeToValue(node, &q, yaml.Strict()); err != nil {
		return Task{}, wrongYAML(file, lineOf(node), err)
	}
	t := Task{
		ID: q.ID, Query: q.Question, Category: q.Category, Language: q.Language, Group: q.Group, Kind: kindGolden,
		Source: q.Source, Unanswerable: q.Answerable != nil && !*q.Answerable, file: file, line: lineOf(node),
	}
	if strings.TrimSpace(q.Question) == "" {
		return Task{}, t.wrong("the entry has no question: add \"question\"")
	}
	if t.ID == "" {
		sum := sha256.Sum256([]byte(q.Question))
		t.ID = hex.EncodeToString(sum[:6])
	}
	for _, a := range q.Answers {
		target := Target{Path: a.Path, Heading: a.Heading, Grade: cmp.Or(a.Grade, gradeAnswers)}
		var err error
		if target.StartLine, target.EndLine, err = linesOf(a.Lines); err != nil {
			return Task{}, t.wrong("the answer %s: %w", a.Path, err)
		}
		t.Relevant = append(t.Relevant, target)
	}
	return t, t.check()
}

// linesOf reads "12" and "12-30".
func linesOf(text string) (start, end int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	first, last, ranged := strings.Cut(text, "-")
	start, err = strconv.Atoi(strings.TrimSpace(first))
	end = start
	if err == nil && ranged {
		end, err = strconv.Atoi(strings.TrimSpace(last))
	}
	if err != nil || start < 1 {
		return 0, 0, fmt.Errorf("lines is %q: write 12, or 12-30", text)
	}
	return start, end, nil
}

func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil {
		return 1
	}
	t := n.GetToken()
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		t = m.Values[0].Key.GetToken()
	}
	return t.Position.Line
}

// wrongYAML takes the message of an error without the excerpt below it.
func wrongYAML(file string, line int, err error) error {
	said, _, _ := strings.Cut(err.Error(), "\n")
	var e yaml.Error
	if errors.As(err, &e) {
		said = e.GetMessage()
		if t := e.GetToken(); t != nil && t.Position != nil {
			line = t.Position.Line
		}
	}
	return Task{file: file, line: line}.wrong("this is no golden question (%s): write question, answers (paths, each perhaps with heading or lines) and category", said)
}
