//go:build unix

package instance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Alive reports whether there is a process with the id of the one that announced
// r. It may be another one by now.
func (r Record) Alive() bool {
	err := syscall.Kill(r.PID, 0)
	return r.PID > 0 && (err == nil || errors.Is(err, syscall.EPERM))
}

// Running reports whether the process that announced r still holds the state
// folder at path, whether or not it answers.
func (r Record) Running(path string) bool {
	if !r.Alive() {
		return false
	}
	// The id may be another process's by now; the lock is not.
	f, err := os.Open(filepath.Join(path, LockFile))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// Stopped reports whether the process is known to be stopped, as by a signal.
// Where the system does not tell, it is not known.
func (r Record) Stopped() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.PID))
	if err != nil {
		return false
	}
	// The name before the state stands in parentheses, and may hold any.
	_, rest, ok := bytes.Cut(stat[max(bytes.LastIndexByte(stat, ')'), 0):], []byte(" "))
	return ok && len(rest) > 0 && (rest[0] == 'T' || rest[0] == 't')
}
