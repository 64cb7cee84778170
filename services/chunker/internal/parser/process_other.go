//go:build !linux

package parser

import (
	"bytes"
	"os/exec"
	"strconv"
)

// dieWithParent has nothing to do here: the child sees its standard input end,
// and watches its parent.
func dieWithParent(*exec.Cmd) {}

// resident is the resident memory of a process in bytes; ok is false when the
// process is gone.
func resident(pid int) (n int64, ok bool) {
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, false
	}
	kib, err := strconv.ParseInt(string(bytes.TrimSpace(out)), 10, 64)
	return kib << 10, err == nil
}
