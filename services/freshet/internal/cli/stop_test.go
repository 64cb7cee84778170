package cli_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/services/freshet/internal/cli"
)

func TestInterrupt_KeepsTheState(t *testing.T) {
	t.Parallel()
	folder, data := tree(t, small), filepath.Join(t.TempDir(), "s")
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		i := start(t, data, folder)
		i.signal(s)
		if code := i.wait(); s != syscall.SIGKILL && code != 0 {
			t.Errorf("exit %d after %v:\n%s", code, s, i.errors())
		}
		gone := []string{"no freshet runs"}
		if s == syscall.SIGKILL { // it left its instance file behind
			gone = []string{"gone", "freshet up"}
		}
		refuse(t, program(t, "status", "--data", data), gone...)
	}
	i := start(t, data, folder)
	if out := must(t, "search", "heron", "--data", data); !strings.Contains(out, "parse.go") {
		t.Errorf("after all this the answer is\n%s", out)
	}
	i.stop()
}

// The first signal comes while everything is still being read, the second
// right behind it.
func TestSecondInterrupt_EndsAtOnce(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for n := range 150 {
		files[fmt.Sprintf("birds/%d.md", n)] = strings.Repeat("# A bird\n\nIt stands in the reeds.\n", 200)
	}
	folder, data := tree(t, files), filepath.Join(t.TempDir(), "s")
	i, lines := launch(t, nil, data, folder)
	i.untilAnnounced()
	i.signal(syscall.SIGINT)
	i.signal(syscall.SIGINT)
	if code := i.wait(); code != cli.ExitInterrupted && code != cli.ExitDone {
		t.Errorf("exit %d:\n%s", code, i.errors())
	}
	for line := range lines {
		t.Errorf("it was not ready, yet it says %q", line)
	}
	again := start(t, data, folder)
	must(t, "search", "reeds", "--data", data)
	again.stop()
}

// Starting another one would be the wrong thing to do.
func TestStoppedInstance_IsNotCalledGone(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "s")
	i := start(t, data, tree(t, small))
	i.signal(syscall.SIGSTOP)
	for run(t, "status", "--data", data).code == 0 {
		// the signal is on its way
	}
	pid := fmt.Sprint(i.cmd.Process.Pid)
	refuse(t, program(t, "status", "--data", data), pid, "kill -CONT "+pid)
	i.signal(syscall.SIGCONT)
	must(t, "status", "--data", data)
	i.stop()
}
