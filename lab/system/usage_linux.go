package system

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is USER_HZ, 100 on every Linux that Go runs on.
const clockTick = 10 * time.Millisecond

// processTree returns pid and its descendants.
func processTree(pid int) []int {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return []int{pid}
	}
	parent := map[int]int{}
	for _, file := range stats {
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			continue
		}
		if fields := statFields(id); len(fields) > 1 {
			up, err := strconv.Atoi(fields[1])
			if err == nil {
				parent[id] = up
			}
		}
	}
	return descendants(pid, parent)
}

// statFields returns the fields of /proc/PID/stat behind the name, which may
// itself hold spaces and brackets: state, parent, … (proc(5)).
func statFields(pid int) []string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	_, rest, ok := bytes.Cut(text, []byte(") "))
	if !ok {
		return nil
	}
	return strings.Fields(string(rest))
}

// inspect reads what a process uses; false when it is gone.
func inspect(pid int) (Use, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return Use{}, false
	}
	var u Use
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch name {
		case "Name":
			u.Name = value
		case "VmHWM":
			u.Peak = kibibytes(value)
		case "RssAnon":
			u.Anonymous = kibibytes(value)
		case "RssFile":
			u.File = kibibytes(value)
		}
	}
	fields := statFields(pid)
	// 11 and 12 behind the name are utime and stime.
	if len(fields) < 13 || u.Peak == 0 {
		return Use{}, false
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	if err1 != nil || err2 != nil {
		return Use{}, false
	}
	u.CPU = time.Duration(user+system) * clockTick
	return u, true
}

func kibibytes(value string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSuffix(value, " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// Load returns the machine's load average over one minute.
func Load() (float64, error) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), " ")
	return strconv.ParseFloat(first, 64)
}
