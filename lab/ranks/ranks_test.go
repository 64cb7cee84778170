package ranks

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
)

// run is a saved run of two questions.
func run() *eval.Saved {
	return &eval.Saved{Answers: []eval.Answer{
		{ID: "a1", Query: "retry with\tdelay", Hits: []eval.Hit{{Path: "pkg/a.go", StartLine: 3, EndLine: 9}, {Path: "pkg/b c.go", StartLine: 1, EndLine: 1}}},
		{ID: "a2", Query: "# nothing like it"},
	}}
}

func of(t *testing.T, r *eval.Saved, made ...string) *Ranks {
	t.Helper()
	out, err := Of("golden", made, r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRanksAreWritten_ReadBackTheyAreTheSame(t *testing.T) {
	want := of(t, run(), "go1.26.8 linux/amd64", "example.org/m v1.2.3")
	file := filepath.Join(t.TempDir(), "golden.txt")
	if err := want.Write(file); err != nil {
		t.Fatal(err)
	}
	got, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	got.Set = want.Set
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if text, n := Differences(got, want); n != 0 || text != "" || MadeOfOther(got, want) != "" {
		t.Errorf("%d differences: %s", n, text)
	}
}

func TestHitsChangePlaces_BothAreNamedWithTheirQuestion(t *testing.T) {
	other := run()
	hits := other.Answers[0].Hits
	hits[0], hits[1] = hits[1], hits[0]
	other.Answers[1].Hits = hits[:1]
	text, n := Differences(of(t, run()), of(t, other))
	want := "golden: retry with delay\n" +
		"   1  was pkg/a.go:3-9\n      is  pkg/b c.go:1-1\n" +
		"   2  was pkg/b c.go:1-1\n      is  pkg/a.go:3-9\n" +
		"golden: # nothing like it\n" +
		"   1  was nothing\n      is  pkg/b c.go:1-1\n"
	if n != 2 || text != want {
		t.Errorf("%d differences:\n%swant\n%s", n, text, want)
	}
}

func TestQuestionComesAndGoes_BothAreTold(t *testing.T) {
	other := run()
	other.Answers[1].ID, other.Answers[1].Query = "a3", "something else"
	text, n := Differences(of(t, run()), of(t, other))
	if n != 2 || !strings.Contains(text, "something else\n  was not asked\n") || !strings.Contains(text, "# nothing like it\n  is not asked any more\n") {
		t.Errorf("%d differences:\n%s", n, text)
	}
}

func TestCorpusIsAnother_ItsPartsAreNamed(t *testing.T) {
	got := MadeOfOther(of(t, run(), "m v1", "n v2"), of(t, run(), "m v1", "n v3"))
	if want := "was n v2, is n v3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnswerIsNotWhole_ItsRanksAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*eval.Answer){
		"degraded": func(a *eval.Answer) { a.Degraded = []string{"vector: it did not answer in time"} },
		"pending":  func(a *eval.Answer) { a.Pending = 1 },
		"error":    func(a *eval.Answer) { a.Error = "no index answers" },
	} {
		r := run()
		spoil(&r.Answers[1])
		if _, err := Of("golden", nil, r); err == nil || !strings.Contains(err.Error(), "not whole") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFileIsNoneOfRanks_TheLineIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.txt")
	if err := (&Ranks{Set: "x\nhits: all"}).Write(file); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file); err == nil || !strings.Contains(err.Error(), "line 2 of") {
		t.Error(err)
	}
	if _, err := Read(file + "x"); err == nil || !strings.Contains(err.Error(), "make ranks UPDATE=yes") {
		t.Error(err)
	}
}
