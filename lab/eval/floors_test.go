package eval

import (
	"strings"
	"testing"
)

func TestFloorThatIsMissed_IsTold(t *testing.T) {
	file := written(t, "floors.yaml", "# Floors only rise.\ngolden:\n  hit@3: 0.85\n  mrr: 0.5\nother:\n  mrr: 0.99\n")
	floors, err := ReadFloors(file)
	if err != nil {
		t.Fatal(err)
	}
	tasks := []Task{{ID: "1", Relevant: files("a")}, {ID: "2", Relevant: files("a")}}
	answers := []Answer{{ID: "1", Hits: hits("a")}, {ID: "2", Hits: hits("w", "x", "y", "a")}}
	report := NewReport("golden", tasks, answers, nil, Options{})
	below, err := floors.Check(&report, file)
	if err != nil || len(below) != 1 || below[0].String() != "the set golden has hit@3 0.5000, below its floor of 0.8500" {
		t.Errorf("%v, %v", below, err)
	}
	report.Set = "unknown"
	if _, err := floors.Check(&report, file); err == nil || !strings.Contains(err.Error(), "unknown") || !strings.Contains(err.Error(), "--set") {
		t.Errorf("a set without floors: %v", err)
	}
	for text, part := range map[string]string{
		"golden:\n  hit@4: 0.5\n": "hit@4",
		"golden:\n  mrr: 85\n":    "0 to 1",
		"- golden\n":              "write a mapping",
		"golden: high\n":          "write a mapping",
	} {
		if _, err := ReadFloors(written(t, "floors.yaml", text)); err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v does not say %q", text, err, part)
		}
	}
}
