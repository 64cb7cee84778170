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

func TestFitCannotBeBuiltIn(t *testing.T) {
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
