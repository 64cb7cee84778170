//go:build unix

package state_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/services/freshet/internal/state"
)

// A process that is killed while it starts a child leaves it the locks for a
// moment.
func TestChildOfADeadOwnerHoldsTheLocks_ItIsWaitedFor(t *testing.T) {
	path := t.TempDir()
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	record, err := json.Marshal(instance.Record{URL: "nats://127.0.0.1:4999", PID: dead.Process.Pid, Started: time.Now()})
	if err == nil {
		err = os.WriteFile(filepath.Join(path, instance.RecordFile), record, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	release := leaveLocked(t, filepath.Join(path, instance.LockFile))
	opened := make(chan error, 1)
	go func() {
		f, err := state.Open(path)
		if err == nil {
			err = f.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		release()
		t.Fatalf("it was not waited for: %v", err)
	case <-time.After(100 * time.Millisecond): // one that does not wait is done long before
	}
	release()
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

// leaveLocked locks a file, and leaves the lock to a child until release.
func leaveLocked(t *testing.T, path string) (release func()) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	child := exec.Command("cat") // until its input ends
	child.ExtraFiles = []*os.File{f}
	input, err := child.StdinPipe()
	if err == nil {
		err = child.Start()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(input.Close(), child.Wait()); err != nil {
			t.Error(err)
		}
	}
}
