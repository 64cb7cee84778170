package eval

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTasksThatDiffer_AreNotPaired(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json")
	before := []Answer{
		{ID: "same", Query: "q", Hits: hits("x", "a")},
		{ID: "changed", Query: "other", Hits: hits("a")},
		{ID: "gone", Query: "q", Hits: hits("a")},
		{ID: "none", Query: "q", Hits: hits("a")},
	}
	if err := Save(file, "set", before, Options{Off: []string{"signals"}}); err != nil {
		t.Fatal(err)
	}
	saved, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	tasks := []Task{
		{ID: "same", Query: "q", Relevant: files("a")}, {ID: "changed", Query: "q", Relevant: files("a")},
		{ID: "new", Query: "q", Relevant: files("a")}, {ID: "none", Query: "q", Unanswerable: true},
	}
	now := []Answer{{Hits: hits("a")}, {Hits: hits("a")}, {Hits: hits("a")}, {}}
	c, err := Compare(file, saved, tasks, now, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// changed and new of now, gone of before
	if c.Tasks != 1 || c.Unpaired != 3 || c.Before["mrr"] != .5 || c.Now["mrr"] != 1 || c.Paired["mrr"].Wins != 1 || strings.Join(c.Off, " ") != "signals" {
		t.Errorf("%+v", c)
	}
	if _, err := Compare(file, saved, tasks[1:3], now[1:3], Options{}); err == nil || !strings.Contains(err.Error(), "same task files") {
		t.Errorf("without a common task: %v", err)
	}
}

func TestColdAndRepeatedQueries_DoNotCountAsWarm(t *testing.T) {
	answers := []Answer{
		{Query: "a", MS: 100, First: true}, {Query: "b", MS: 1}, {Query: "a", MS: .1}, {Query: "c", MS: 3}, {Query: "d", Error: "no"},
		{Query: "e", MS: 200, First: true}, {Query: "f", MS: 2},
	}
	l := latencyOf(answers, true)
	if l.First != (Spread{2, 150, 199}) || l.Warm.Count != 3 || l.Warm.P50 != 2 {
		t.Errorf("%+v", l)
	}
}
