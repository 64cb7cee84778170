package system

import (
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// The parser children are a good part of the program's memory; a sampler that
// looks at the parent alone would praise it.
func TestUsage_CountsEveryChild(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "sleep 600 & wait")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := startSampler(cmd.Process.Pid)
	var u Usage
	for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
		if u = s.usage(); len(u.Processes) == 2 && u.Processes[1].Name == "child sleep" {
			break
		}
	}
	var parts, peaks uint64
	for _, p := range u.Processes {
		if p.Peak == 0 || p.resident() == 0 || p.resident() > p.Peak+1<<20 {
			t.Errorf("%+v", p)
		}
		parts += p.resident()
		peaks += p.Peak
	}
	if u.Peak < u.Processes[0].Peak || u.Peak > peaks || u.Together == 0 || u.Together > parts {
		t.Errorf("peak %d of %d, together %d of %d", u.Peak, peaks, u.Together, parts)
	}
	for _, p := range processTree(cmd.Process.Pid)[1:] {
		if err := exec.CommandContext(t.Context(), "kill", "-9", strconv.Itoa(p)).Run(); err != nil {
			t.Error(err)
		}
	}
	_ = cmd.Wait()
	s.stop()
	if after := s.usage(); after.Peak != u.Peak && len(after.Processes) != 2 {
		t.Errorf("what has ended is forgotten: %+v", after)
	}
}
