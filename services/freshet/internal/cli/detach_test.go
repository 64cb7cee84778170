package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/instance"
)

// background runs `freshet up --detach` on a state folder and ends what it started
// with the test.
func background(t *testing.T, data string, args ...string) result {
	t.Helper()
	r := finish(t, program(t, append([]string{"up", "--detach", "--data", data, "--nats-port", "0"}, args...)...))
	if i, err := instance.Read(data); err == nil {
		t.Cleanup(func() {
			_ = syscall.Kill(i.PID, syscall.SIGTERM)
			untilGone(data, i)
		})
	}
	return r
}

func untilGone(data string, i instance.Record) {
	for i.Running(data) {
		time.Sleep(5 * time.Millisecond)
	}
}

func TestFreshetInTheBackground_IsStartedAndEnded(t *testing.T) {
	folder, data := tree(t, small), filepath.Join(t.TempDir(), "state")
	r := background(t, data, folder)
	if r.code != 0 || !strings.HasPrefix(r.stdout, "ready nats://") || !strings.Contains(r.stderr, filepath.Join(data, "freshet.log")) {
		t.Fatalf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	i, err := instance.Read(data)
	if err != nil || !strings.Contains(r.stderr, "pid "+strconv.Itoa(i.PID)) {
		t.Fatalf("%+v, %v: %s", i, err, r.stderr)
	}
	if out := must(t, "search", "ParseHeron", "--data", data); !strings.Contains(out, "parse.go") {
		t.Errorf("it answers %s", out)
	}
	refuse(t, program(t, "up", "--detach", "--data", data, folder), "already runs", strconv.Itoa(i.PID))
	out := must(t, "stop", "--data", data)
	for _, part := range []string{"pid " + strconv.Itoa(i.PID), "2 documents in 1 source"} {
		if !strings.Contains(out, part) {
			t.Errorf("%q does not name %q", out, part)
		}
	}
	if i.Running(data) {
		t.Error("it runs when stop has ended")
	}
	refuse(t, program(t, "stop", "--data", data), "no freshet runs on")
}

func TestFreshetThatCannotStartInTheBackground_SaysWhy(t *testing.T) {
	data := filepath.Join(t.TempDir(), "state")
	refuse(t, program(t, "up", "--detach", "--data", data, filepath.Join(t.TempDir(), "gone")), "gone")
	taken := start(t, filepath.Join(t.TempDir(), "other"), tree(t, small))
	port := taken.url[strings.LastIndexByte(taken.url, ':')+1:]
	refuse(t, program(t, "up", "--detach", "--data", data, "--nats-port", port, tree(t, small)), "did not start", port, filepath.Join(data, "freshet.log"))
}

func TestTenStartFreshetAtTheSameMoment_OneRuns(t *testing.T) {
	folder, data := tree(t, small), filepath.Join(t.TempDir(), "state")
	var all sync.WaitGroup
	results := make([]result, 10)
	for n := range results {
		cmd := program(t, "up", "--detach", "--data", data, "--nats-port", "0", folder)
		all.Go(func() { results[n] = finish(t, cmd) })
	}
	all.Wait()
	i, err := instance.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(i.PID, syscall.SIGTERM); untilGone(data, i) })
	began := 0
	for _, r := range results {
		switch {
		case r.code == 0 && strings.HasPrefix(r.stdout, "ready "):
			began++
		case r.code != 2 || !strings.Contains(r.stderr, fmt.Sprintf("already runs on %s (pid %d", data, i.PID)):
			t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
		}
	}
	if began != 1 {
		t.Errorf("%d have started one", began)
	}
	log, err := os.ReadFile(filepath.Join(data, "freshet.log"))
	if err != nil || strings.Count(string(log), "ready nats://") != 1 {
		t.Errorf("the log is %s, %v", log, err)
	}
}

func TestNobodyAsks_FreshetEnds(t *testing.T) {
	i := start(t, filepath.Join(t.TempDir(), "state"), "--idle", "100ms", tree(t, small))
	if code := i.wait(); code != 0 {
		t.Errorf("exit %d: %s", code, i.errors())
	}
	asked := start(t, filepath.Join(t.TempDir(), "state"), "--idle", "1h", tree(t, small))
	if out := must(t, "status", "--data", asked.data); !strings.Contains(out, "ends when nobody has asked for 1h0m0s") {
		t.Errorf("the status is %s", out)
	}
}
