package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/calibrate"
	"github.com/freshet-dev/freshet/pkg/confidence"
)

func TestFit_CanBeBuiltIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here, elsewhere, fit := filepath.Join(dir, "here.jsonl"), filepath.Join(dir, "elsewhere.jsonl"), filepath.Join(dir, "fit.json")
	var asked, foreign strings.Builder
	for i := range 60 {
		fmt.Fprintf(&asked, `{"id":"h%d","query":"parse a heron %d","relevant":["parse.go"]}`+"\n", i, i)
		fmt.Fprintf(&foreign, `{"id":"e%d","query":"quorum of turbine %d","relevant":["turbine.go"]}`+"\n", i, i)
	}
	put(t, here, asked.String())
	put(t, elsewhere, foreign.String())
	corpus := tree(t, small)
	refuse(t, program(t, "eval", "calibrate", here, "--index", corpus), "60 tasks with an answer and 0 without")
	refuse(t, program(t, "eval", "calibrate"), "got no argument")
	out := must(t, "eval", "calibrate", here, "--foreign", elsewhere, "--index", corpus, "--write", fit, "--json")
	var report calibrate.Report
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&report); err != nil || report.Tasks != 90 || report.Unanswerable != 30 || report.Found != 60 || len(report.Abstention) == 0 {
		t.Errorf("%v: %+v", err, report)
	}
	raw, err := os.ReadFile(fit)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := confidence.Parse(raw); err != nil || c.Tasks != 90 || c.Low != report.Low {
		t.Errorf("%v: %s", err, raw)
	}
	if text := must(t, "eval", "calibrate", here, "--foreign", elsewhere, "--index", corpus); !strings.Contains(text, "calibration error") || !strings.Contains(text, "right answers lost") {
		t.Error(text)
	}
}

// Sets are asked each in an index of its own, and fitted together.
func TestKeptAnswersOfTwoSets_AreFittedTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	corpus, here, elsewhere := tree(t, small), filepath.Join(dir, "here.jsonl"), filepath.Join(dir, "elsewhere.jsonl")
	var asked, foreign strings.Builder
	for i := range 60 {
		fmt.Fprintf(&asked, `{"id":"h%d","query":"parse a heron %d","relevant":["parse.go"]}`+"\n", i, i)
		fmt.Fprintf(&foreign, `{"id":"e%d","query":"quorum of turbine %d","relevant":["turbine.go"]}`+"\n", i, i)
	}
	put(t, here, asked.String())
	put(t, elsewhere, foreign.String())
	args := []string{"eval", "calibrate", "--json"}
	for _, set := range []string{"pond/one", "pond/two"} {
		kept := filepath.Join(dir, filepath.Base(set))
		must(t, "eval", "calibrate", here, "--foreign", elsewhere, "--index", corpus, "--set", set, "--save", kept)
		args = append(args, "--samples", kept)
	}
	var report calibrate.Report
	if err := json.Unmarshal([]byte(must(t, args...)), &report); err != nil {
		t.Fatal(err)
	}
	if report.Tasks != 180 || report.Unanswerable != 60 || report.Found != 120 {
		t.Errorf("%+v", report)
	}
	if f := report.Families; len(f) != 1 || f[0].Kind != "pond" || f[0].Tasks != 180 {
		t.Errorf("%+v", f)
	}
	if k := report.Kinds; len(k) != 2 || k[1].Kind != "pond" || k[1].Found != 120 {
		t.Errorf("%+v", k)
	}
	refuse(t, program(t, "eval", "calibrate", "--samples", here), "holds no samples")
	refuse(t, program(t, "eval", "calibrate", "--samples", dir+"/none"), "cannot read the samples")
}
