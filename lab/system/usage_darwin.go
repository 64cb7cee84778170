package system

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// processTree returns pid and its descendants.
func processTree(pid int) []int {
	out, err := exec.CommandContext(context.Background(), "ps", "-axo", "pid=,ppid=").Output()
	if err != nil {
		return []int{pid}
	}
	parent := map[int]int{}
	for line := range strings.Lines(string(out)) {
		var id, up int
		if _, err := fmt.Sscan(line, &id, &up); err == nil {
			parent[id] = up
		}
	}
	return descendants(pid, parent)
}

// inspect reads what a process uses; false when it is gone. The system notes
// no peak for another process, so the resident size of the moment stands for
// it.
func inspect(pid int) (Use, bool) {
	out, err := exec.CommandContext(context.Background(), "ps", "-o", "rss=,time=,comm=", "-p", strconv.Itoa(pid)).Output()
	fields := strings.Fields(string(out))
	if err != nil || len(fields) < 3 {
		return Use{}, false
	}
	kib, err := strconv.ParseUint(fields[0], 10, 64)
	if err != nil {
		return Use{}, false
	}
	return Use{Name: filepath.Base(fields[2]), Peak: kib << 10, Anonymous: kib << 10, CPU: clock(fields[1])}, true
}

// clock reads the form [hours:]minutes:seconds that ps prints.
func clock(text string) time.Duration {
	var total float64
	for part := range strings.SplitSeq(text, ":") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0
		}
		total = 60*total + v
	}
	return time.Duration(total * float64(time.Second))
}

// Load returns the machine's load average over one minute.
func Load() (float64, error) {
	out, err := exec.CommandContext(context.Background(), "sysctl", "-n", "vm.loadavg").Output()
	if err != nil {
		return 0, err
	}
	var load float64
	_, err = fmt.Sscanf(string(out), "{ %g", &load)
	return load, err
}
