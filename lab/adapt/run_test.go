package adapt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/mine"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/static"
)

func TestJargonOfAProject_IsLearnt(t *testing.T) {
	o := mined(t, false)
	model, r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	mrr := eval.MeasureNames[eval.MRR]
	if !r.Won || r.Comparison.After[mrr].Value < r.Comparison.Before[mrr].Value+.1 || r.Best == 0 {
		t.Errorf("it has not won: %+v", r)
	}
	if model.Identity() != r.Trained || r.Trained == r.InUse || r.Fit+r.Dev+r.Held != r.Pairs || r.Pairs < leastPairs || r.Passages != r.Comparison.Passages {
		t.Errorf("%+v", r)
	}
	if _, again, err := Run(t.Context(), o); err != nil || again.Trained != r.Trained {
		t.Errorf("the same pairs and seed give %s, then %s, %v", r.Trained, again.Trained, err)
	}
	// What is in use is what a training begins with.
	o.Config.Embedder.Model = filepath.Join(t.TempDir(), "model")
	if err := model.Write(o.Config.Embedder.Model, r.InUse); err != nil {
		t.Fatal(err)
	}
	o.Progress = func(string, int, int) {}
	if _, _, again, err := prepared(t.Context(), &o); err != nil || again.InUse != r.Trained {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestNothingIsToBeLearnt_ModelDoesNotWin(t *testing.T) {
	_, r, err := Run(t.Context(), mined(t, true))
	if err != nil {
		t.Fatal(err)
	}
	if r.Won {
		t.Errorf("%+v", r)
	}
}

// A passage of a file that is held back may be in no part of the training.
func TestHeldBackFile_IsNotLearntFrom(t *testing.T) {
	o := mined(t, false)
	o.Progress = func(string, int, int) {}
	o.Apart = func(file string) bool { return file == "f1.go" }
	b, d, _, err := prepared(t.Context(), &o)
	if err != nil {
		t.Fatal(err)
	}
	in := func(i int) part { return o.partOf(b.passages[i].file) }
	for _, list := range [][]int{d.corpus.Wrong, d.corpus.Among} {
		for _, i := range list {
			if in(i) == held {
				t.Errorf("%s is learnt from", b.passages[i].file)
			}
		}
	}
	for _, p := range d.corpus.Fit {
		if in(p.Passages[0]) != fit {
			t.Errorf("%s is learnt from", b.passages[p.Passages[0]].file)
		}
	}
	rows, err := static.Bundled().Rows()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.addNear(t.Context(), &o, &d.corpus, rows); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.corpus.Fit {
		if len(p.Wrong) == 0 {
			t.Error("no wrong passage is near")
		}
		for _, i := range p.Wrong {
			if in(i) != fit || b.passages[i].file == b.passages[p.Passages[0]].file {
				t.Errorf("%s is wrong for %s", b.passages[i].file, b.passages[p.Passages[0]].file)
			}
		}
	}
	apart := false
	for _, q := range d.held {
		apart = apart || q.task.Group == "f1.go"
		if in(q.passages[0]) != held {
			t.Errorf("%s is not held back", q.task.Group)
		}
	}
	if !apart {
		t.Error("what is to be apart is not held back")
	}
}

func TestTooLittle_IsNotTrainedOn(t *testing.T) {
	o := mined(t, false)
	o.Corpora[0].Tasks = o.Corpora[0].Tasks[:50]
	_, _, err := Run(t.Context(), o)
	contains(t, err, "50 pairs", "name more")
	o.Corpora[0].Tasks = []eval.Task{{ID: "1", Query: "q", Commit: "c"}}
	_, _, err = Run(t.Context(), o)
	contains(t, err, "commits", "tasks.jsonl")
	empty := mine.Options{Config: o.Config, Sources: []mine.Source{{Path: t.TempDir()}}}
	if err := os.WriteFile(filepath.Join(empty.Sources[0].Path, "a.go"), []byte("package a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Mine(t.Context(), empty, filepath.Join(t.TempDir(), "out"))
	contains(t, err, "nothing in", "documented code")
	_, err = FromTasks([]string{filepath.Join(filepath.Dir(o.Corpora[0].Folder), mine.TasksFile), filepath.Join(t.TempDir(), "x.jsonl")})
	if document.KindOf(err) != document.NotFound {
		t.Error(err)
	}
}
