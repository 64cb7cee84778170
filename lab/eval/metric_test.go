package eval

import (
	"math"
	"strconv"
	"testing"
)

func files(paths ...string) []Target {
	var out []Target
	for _, p := range paths {
		out = append(out, Target{Path: p, Grade: 1})
	}
	return out
}

func hits(paths ...string) []Hit {
	var out []Hit
	for _, p := range paths {
		out = append(out, Hit{Source: "s", Path: p, StartLine: 1, EndLine: 9})
	}
	return out
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// The expected values are those of the published benchmark's own definition,
// which states them for these answers.
func TestScore_IsThePublishedOne(t *testing.T) {
	one := Task{N: 1, Relevant: files("src/a.py"), Root: "src"}
	two := Task{N: 2, Relevant: files("src/a.py", "src/b/c.py"), Root: "src"}
	half := one
	half.N = 2
	full := 1 + 1/math.Log2(3)
	var late []string
	for i := range depth {
		late = append(late, strconv.Itoa(i))
	}
	type want struct{ ndcg, recall, mrr float64 }
	for name, c := range map[string]struct {
		paths         []string
		task          Task
		files, chunks want
	}{
		"first":                      {[]string{"src/a.py"}, one, want{1, 1, 1}, want{1, 1, 1}},
		"nothing":                    {nil, one, want{}, want{}},
		"second":                     {[]string{"x", "src/a.py"}, one, want{1 / math.Log2(3), 1, .5}, want{1 / math.Log2(3), 1, .5}},
		"a repeated file before it":  {[]string{"x", "x", "src/a.py"}, one, want{1 / math.Log2(3), 1, .5}, want{.5, 1, 1. / 3}},
		"found twice":                {[]string{"src/a.py", "src/a.py"}, one, want{1, 1, 1}, want{1, 1, 1}},
		"both":                       {[]string{"src/a.py", "src/b/c.py"}, two, want{1, 1, 1}, want{1, 1, 1}},
		"one of two":                 {[]string{"src/a.py"}, two, want{1 / full, .5, 1}, want{1 / full, .5, 1}},
		"one known of two":           {[]string{"src/a.py"}, half, want{1 / full, .5, 1}, want{1 / full, .5, 1}},
		"rank 11":                    {append(late, "src/a.py"), one, want{0, 0, 1. / 11}, want{0, 0, 1. / 11}},
		"relative to the root":       {[]string{"a.py"}, one, want{1, 1, 1}, want{1, 1, 1}},
		"dot and backslash":          {[]string{"./src\\a.py"}, one, want{1, 1, 1}, want{1, 1, 1}},
		"a suffix that is no folder": {[]string{"xa.py", "other/a.py", "c.py"}, one, want{}, want{}},
		"the other of two":           {[]string{"b/c.py"}, two, want{1 / full, .5, 1}, want{1 / full, .5, 1}},
	} {
		for way, want := range map[Way]want{OverFiles: c.files, OverChunks: c.chunks} {
			got := Score(&c.task, hits(c.paths...), way, 10)
			if !near(got[NDCGFiles], c.files.ndcg) || !near(got[NDCGChunks], c.chunks.ndcg) || !near(got[Recall], want.recall) || !near(got[MRR], want.mrr) {
				t.Errorf("%s over %s: %v, want %+v", name, way, got, want)
			}
		}
	}
}

func TestPassageElsewhereInItsFile_IsFoundOverFilesAlone(t *testing.T) {
	task := Task{Relevant: []Target{{Path: "a.go", StartLine: 20, EndLine: 30}}}
	at := func(start, end int) Hit { return Hit{Path: "a.go", StartLine: start, EndLine: end} }
	for name, c := range map[string]struct {
		hits          []Hit
		files, chunks float64
	}{
		"before":             {[]Hit{at(1, 19)}, 0, 0},
		"behind":             {[]Hit{at(31, 40)}, 0, 0},
		"its first line":     {[]Hit{at(1, 20)}, 1, 1},
		"its last line":      {[]Hit{at(30, 90)}, 1, 1},
		"inside":             {[]Hit{at(22, 23)}, 1, 1},
		"the second of file": {[]Hit{at(1, 9), at(20, 30)}, 1, .5},
		"another file first": {[]Hit{{Path: "b.go", StartLine: 20, EndLine: 30}, at(1, 9), at(20, 30)}, .5, 1. / 3},
	} {
		if got := Score(&task, c.hits, OverFiles, 10)[MRR]; !near(got, c.files) {
			t.Errorf("%s: over files %v, want %v", name, got, c.files)
		}
		if got := Score(&task, c.hits, OverChunks, 10)[MRR]; !near(got, c.chunks) {
			t.Errorf("%s: over chunks %v, want %v", name, got, c.chunks)
		}
	}
	headed := Task{Relevant: []Target{{Path: "a.md", Heading: "Set a limit"}}}
	if got := Score(&headed, []Hit{{Path: "a.md", Headings: []string{"Guide", "Set  a `limit` "}}}, OverChunks, 10)[Hit1]; got != 1 {
		t.Error("a passage below the heading is not found")
	}
	if got := Score(&headed, []Hit{{Path: "a.md", Headings: []string{"Guide"}}}, OverChunks, 10)[Hit1]; got != 0 {
		t.Error("a passage below another heading is found")
	}
}

// Two passages of one file are two targets over chunks, and one over files.
func TestPassagesOfOneFile_CountOnceOverFiles(t *testing.T) {
	task := Task{Relevant: []Target{{Path: "a", StartLine: 1, EndLine: 5}, {Path: "a", StartLine: 10, EndLine: 15}}}
	both := []Hit{{Path: "a", StartLine: 1, EndLine: 5}, {Path: "a", StartLine: 10, EndLine: 15}}
	for way, hits := range map[Way][]Hit{OverFiles: both[:1], OverChunks: both} {
		if got := Score(&task, hits, way, 10); !near(got[Recall], 1) || !near(got[NDCGFiles], 1) {
			t.Errorf("over %s: %v", way, got)
		}
	}
	if got := Score(&task, both[:1], OverChunks, 10); !near(got[Recall], .5) {
		t.Errorf("one of two: %v", got)
	}
}

func TestGrades_AreCounted(t *testing.T) {
	task := Task{Relevant: []Target{{Path: "best", Grade: 3}, {Path: "good", Grade: 1}}}
	ideal := 3 + 1/math.Log2(3)
	if got := Score(&task, hits("best", "good"), OverFiles, 10)[NDCGFiles]; !near(got, 1) {
		t.Errorf("in order: %v", got)
	}
	if got := Score(&task, hits("good", "best"), OverFiles, 10)[NDCGFiles]; !near(got, (1+3/math.Log2(3))/ideal) {
		t.Errorf("in the other order: %v", got)
	}
	task.N = 3 // one more exists, of grade 1
	if got := Score(&task, hits("best", "good"), OverFiles, 10)[NDCGFiles]; !near(got, ideal/(ideal+.5)) {
		t.Errorf("with one unknown: %v", got)
	}
}

func TestHitRates_AreThoseOfTheirRank(t *testing.T) {
	task := Task{Relevant: files("a")}
	for rank, want := range map[int][4]float64{1: {1, 1, 1, 1}, 2: {0, 1, 1, 1}, 3: {0, 1, 1, 1}, 4: {0, 0, 1, 1}, 6: {0, 0, 0, 1}, 11: {}} {
		var list []string
		for i := range rank - 1 {
			list = append(list, strconv.Itoa(i))
		}
		got := Score(&task, hits(append(list, "a")...), OverFiles, 20)
		if [4]float64(got[Hit1:]) != want || got[Recall] != 1 {
			t.Errorf("rank %d: %v, want %v", rank, got, want)
		}
	}
	if got := Score(&task, hits("x", "y", "z", "a"), OverFiles, 3)[Recall]; got != 0 {
		t.Errorf("recall@3 of rank 4: %v", got)
	}
}
