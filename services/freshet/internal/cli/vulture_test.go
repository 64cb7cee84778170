package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// flown is what --json prints of a vulture's report, as far as tests look.
type flown struct {
	Writes    map[string]int `json:"writes"`
	Checked   int            `json:"checked"`
	WithToken int            `json:"with_token"`
	Rested    bool           `json:"rested"`
	Counts    map[string]int `json:"counts"`
	Wait      struct {
		P99 float64 `json:"p99_ms"`
	} `json:"wait"`
	Swept contract.SweepReply `json:"swept"`
}

func TestVulture_LeavesNothingBehind(t *testing.T) {
	t.Parallel()
	i := start(t, filepath.Join(t.TempDir(), "s"), tree(t, small))
	temporary := t.TempDir()
	cmd := program(t, "vulture", "--for", "1s", "--writers", "3", "--readers", "2", "--seed", "7", "--json", "--data", i.data)
	cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
	r := finish(t, cmd)
	var report flown
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil {
		t.Fatalf("%v in exit %d\n%s%s", err, r.code, r.stdout, r.stderr)
	}
	// How fast a loaded machine answers is not what this test is about.
	delete(report.Counts, "unfresh")
	if len(report.Counts) > 0 {
		t.Errorf("exit %d: %v\n%s", r.code, report.Counts, r.stderr)
	}
	if report.Checked == 0 || report.WithToken == 0 || report.Wait.P99 == 0 || !report.Rested || report.Swept.Compared == 0 || report.Writes["branch switch"]+report.Writes["commit"] == 0 {
		t.Errorf("it did not look closely: %s", r.stdout)
	}
	leavesNothing(t, i, temporary)
}

func TestVultureIsInterrupted_LeavesNothingBehind(t *testing.T) {
	t.Parallel()
	i := start(t, filepath.Join(t.TempDir(), "s"), tree(t, small))
	temporary := t.TempDir()
	cmd := program(t, "vulture", "--for", "0", "--writers", "2", "--readers", "1", "--data", i.data)
	cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for len(sources(t, i)) < 3 || run(t, "search", "func", "--source", "vulture", "--token", "latest", "--data", i.data).code != 0 {
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its exit code says more
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(out.String(), "not looked at") {
		t.Errorf("exit %d:\n%s", code, out.String())
	}
	leavesNothing(t, i, temporary)
}

func leavesNothing(t *testing.T, i *running, temporary string) {
	t.Helper()
	if list := sources(t, i); len(list) != 1 {
		t.Errorf("the sources are %v", list)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

func TestVultureWhereItMustNotWrite_WritesNothing(t *testing.T) {
	t.Parallel()
	folder := tree(t, small)
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	refuse(t, program(t, "vulture", "--dir", folder, "--data", i.data), folder, "not empty")
	elsewhere := filepath.Join(t.TempDir(), "v")
	refuse(t, program(t, "vulture", "--dir", elsewhere, "--data", i.data), elsewhere, "source add")
	refuse(t, program(t, "vulture", "--source", "nowhere", "--data", i.data), "nowhere", "source list")
	r := run(t, "vulture", "--for", "500ms", "--writers", "1", "--readers", "1", "--source", filepath.Base(folder), "--json", "--data", i.data)
	var report flown
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil || report.Checked == 0 {
		t.Errorf("exit %d, %v\n%s%s", r.code, err, r.stdout, r.stderr)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "vulture-*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
