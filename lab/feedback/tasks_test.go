package feedback_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/feedback"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// at is a hit of the source "s"; id is 0 for what was not in the answer.
func at(path document.Path, start, end int, id byte) contract.FeedbackHit {
	h := contract.FeedbackHit{Source: "s", Path: path, StartLine: start, EndLine: end}
	if id > 0 {
		h.ID, h.Rank = document.ChunkID{id}, int(id)
	}
	return h
}

func event(kind contract.FeedbackKind, query string, hits ...contract.FeedbackHit) contract.FeedbackEvent {
	return contract.FeedbackEvent{Feedback: contract.Feedback{Kind: kind, Query: query, Hits: hits, Token: document.Token{Epoch: 1, Seq: 1}}}
}

const (
	shown  = contract.FeedbackShown
	opened = contract.FeedbackOpened
	up     = contract.FeedbackUp
	down   = contract.FeedbackDown
)

func TestEvents_AreMergedByWhatWasSaidLast(t *testing.T) {
	one, two := at("a.go", 1, 10, 1), at("a.go", 11, 20, 2)
	for name, c := range map[string]struct {
		events []contract.FeedbackEvent
		want   string // targets as JSON, "" for no task
	}{
		"opened":       {[]contract.FeedbackEvent{event(opened, "q", one)}, `[{"path":"a.go","start_line":1,"end_line":10,"grade":1}]`},
		"thumb up":     {[]contract.FeedbackEvent{event(up, "q", one)}, `[{"path":"a.go","start_line":1,"end_line":10,"grade":2}]`},
		"only shown":   {[]contract.FeedbackEvent{event(shown, "q", one, two)}, ""},
		"only down":    {[]contract.FeedbackEvent{event(down, "q", one)}, ""},
		"opened twice": {[]contract.FeedbackEvent{event(opened, "q", one), event(opened, "q", one)}, `[{"path":"a.go","start_line":1,"end_line":10,"grade":1}]`},
		"two passages": {[]contract.FeedbackEvent{event(opened, "q", one), event(up, " q\n", two)},
			`[{"path":"a.go","start_line":1,"end_line":10,"grade":1},{"path":"a.go","start_line":11,"end_line":20,"grade":2}]`},
		"opened, then up":       {[]contract.FeedbackEvent{event(opened, "q", one), event(up, "q", one)}, `[{"path":"a.go","start_line":1,"end_line":10,"grade":2}]`},
		"up, then opened":       {[]contract.FeedbackEvent{event(up, "q", one), event(opened, "q", one)}, `[{"path":"a.go","start_line":1,"end_line":10,"grade":2}]`},
		"opened, then down":     {[]contract.FeedbackEvent{event(opened, "q", one), event(down, "q", one)}, ""},
		"down, then opened":     {[]contract.FeedbackEvent{event(down, "q", one), event(opened, "q", one)}, `[{"path":"a.go","start_line":1,"end_line":10,"grade":1}]`},
		"up, down, up":          {[]contract.FeedbackEvent{event(up, "q", one), event(down, "q", one), event(up, "q", one)}, `[{"path":"a.go","start_line":1,"end_line":10,"grade":2}]`},
		"down on another":       {[]contract.FeedbackEvent{event(opened, "q", one), event(down, "q", two)}, `[{"path":"a.go","start_line":1,"end_line":10,"grade":1}]`},
		"down on another query": {[]contract.FeedbackEvent{event(opened, "q", one), event(down, "p", one)}, `[{"path":"a.go","start_line":1,"end_line":10,"grade":1}]`},
		"moved a little":        {[]contract.FeedbackEvent{event(opened, "q", one), event(up, "q", at("a.go", 3, 12, 7))}, `[{"path":"a.go","start_line":3,"end_line":12,"grade":2}]`},
		"moved with its id":     {[]contract.FeedbackEvent{event(opened, "q", one), event(up, "q", at("a.go", 51, 60, 1))}, `[{"path":"a.go","start_line":51,"end_line":60,"grade":2}]`},
		"a few lines in common": {[]contract.FeedbackEvent{event(opened, "q", one), event(down, "q", at("a.go", 9, 20, 2))}, `[{"path":"a.go","start_line":1,"end_line":10,"grade":1}]`},
		"down on the document":  {[]contract.FeedbackEvent{event(up, "q", one, two), event(down, "q", at("a.go", 0, 0, 0))}, ""},
		"up on the document":    {[]contract.FeedbackEvent{event(up, "q", at("a.go", 0, 0, 0)), event(down, "q", one)}, `[{"path":"a.go","grade":2}]`},
		"odd name":              {[]contract.FeedbackEvent{event(up, "q", at("50%25 off.md", 0, 0, 0))}, `[{"path":"50% off.md","grade":2}]`},
	} {
		var have string
		tasks := feedback.Tasks(c.events)
		if len(tasks) > 0 {
			raw, err := json.Marshal(tasks[0].Relevant)
			if err != nil {
				t.Fatal(err)
			}
			have = string(raw)
		}
		if len(tasks) > 1 || have != c.want {
			t.Errorf("%s: %d tasks, %s, want %s", name, len(tasks), have, c.want)
		}
	}
}

// What is exported is what eval, and whatever learns from tasks, reads.
func TestExport_IsATaskFile(t *testing.T) {
	other := at("a.go", 1, 10, 3)
	other.Source = "r"
	events := []contract.FeedbackEvent{
		event(opened, "who may log in", at("docs/login.md", 1, 18, 1), at("auth.go", 5, 50, 2)),
		event(up, "parse \"an\" address\n\tlang:go", at("a.go", 1, 10, 1)),
		event(opened, "who may log in", other),
		event(up, "who may log in", at("auth.go", 5, 50, 2)),
		event(down, "what is nowhere", at("a.go", 1, 10, 1)),
	}
	tasks := feedback.Tasks(events)
	file := filepath.Join(t.TempDir(), "tasks.jsonl")
	var text []byte
	for _, task := range tasks {
		line, err := json.Marshal(task)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := eval.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	var again []byte
	for _, task := range read {
		line, err := json.Marshal(task)
		if err != nil {
			t.Fatal(err)
		}
		again = append(append(again, line...), '\n')
	}
	if string(again) != string(text) {
		t.Errorf("written:\n%sread:\n%s", text, again)
	}
	if len(read) != 3 || read[0].Query != "who may log in" || read[0].Source != "s" || len(read[0].Relevant) != 2 || read[0].Relevant[1].Grade != 2 ||
		read[1].Query != "parse \"an\" address lang:go" || read[2].Source != "r" || read[0].ID == read[2].ID || read[0].Category != "feedback" {
		t.Errorf("the tasks are\n%s", again)
	}
}
