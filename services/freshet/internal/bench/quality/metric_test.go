package quality

import (
	"math"
	"strconv"
	"testing"
)

// The expected values follow from the definition alone.
func TestNDCGIsNotTheTaskSetsOwn(t *testing.T) {
	one := Task{N: 1, Relevant: []string{"src/a.py"}, Root: "src"}
	two := Task{N: 2, Relevant: []string{"src/a.py", "src/b/c.py"}, Root: "src"}
	half := one
	half.N = 2
	full := 1 + 1/math.Log2(3)
	var late []string
	for i := range depth {
		late = append(late, strconv.Itoa(i))
	}
	for name, c := range map[string]struct {
		paths  []string
		task   Task
		files  float64
		chunks float64
	}{
		"first":                      {[]string{"src/a.py"}, one, 1, 1},
		"nothing":                    {nil, one, 0, 0},
		"second":                     {[]string{"x", "src/a.py"}, one, 1 / math.Log2(3), 1 / math.Log2(3)},
		"a repeated file before it":  {[]string{"x", "x", "src/a.py"}, one, 1 / math.Log2(3), .5},
		"both":                       {[]string{"src/a.py", "src/b/c.py"}, two, 1, 1},
		"one of two":                 {[]string{"src/a.py"}, two, 1 / full, 1 / full},
		"one known of two":           {[]string{"src/a.py"}, half, 1 / full, 1 / full},
		"rank 11":                    {append(late, "src/a.py"), one, 0, 0},
		"absolute":                   {[]string{"/w/src/a.py"}, one, 1, 1},
		"relative to the root":       {[]string{"a.py"}, one, 1, 1},
		"dot and backslash":          {[]string{"./src\\a.py"}, one, 1, 1},
		"a suffix that is no folder": {[]string{"xa.py", "other/a.py", "c.py"}, one, 0, 0},
		"one entry, two targets":     {[]string{"b/c.py"}, two, 1 / full, 1 / full},
	} {
		if got := NDCG(c.paths, c.task, true); math.Abs(got-c.files) > 1e-9 {
			t.Errorf("%s: over files %v, want %v", name, got, c.files)
		}
		if got := NDCG(c.paths, c.task, false); math.Abs(got-c.chunks) > 1e-9 {
			t.Errorf("%s: over chunks %v, want %v", name, got, c.chunks)
		}
	}
}
