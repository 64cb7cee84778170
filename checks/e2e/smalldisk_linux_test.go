//go:build prove

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// onDisk names the folder on which a test that runs in a mount namespace of its
// own has to mount its disk.
const onDisk = "FRESHET_E2E_DISK"

// injectDisk asks for an injected disk where a real one can be had.
const injectDisk = "FRESHET_E2E_INJECT_DISK"

// withSmallDisk runs a test with a disk of that size: a tmpfs in a mount
// namespace of its own, where the system lets us have one (as root, or in a
// user namespace), else an injected one.
func withSmallDisk(t *testing.T, size int64, run func(*testing.T, *smallDisk)) {
	t.Helper()
	if dir := os.Getenv(onDisk); dir != "" {
		if err := mount(dir, size); err != nil {
			t.Fatal(err)
		}
		d := &smallDisk{t: t, dir: dir, kind: "a tmpfs of " + strconv.FormatInt(size>>20, 10) + " MiB"}
		d.leave = d.leaveReal
		run(t, d)
		return
	}
	if os.Getenv(injectDisk) != "" {
		run(t, injectedDisk(t, size))
		return
	}
	dir := t.TempDir()
	if err := command(dir, "-test.run=^TestMountInANamespace_IsAllowed$", "-test.v").Run(); err != nil {
		t.Logf("no file system can be mounted here (%v): the disk is injected", err)
		run(t, injectedDisk(t, size))
		return
	}
	cmd := command(dir, "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=10m")
	out, err := cmd.CombinedOutput()
	t.Logf("in a mount namespace of its own:\n%s", out)
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v", err)
	}
}

// command is this test binary in a mount namespace of its own.
func command(dir string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), onDisk+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return cmd
}

func mount(dir string, size int64) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		return fmt.Errorf("mount a tmpfs: %w", err)
	}
	return nil
}

// The test of the disk runs this one in a namespace, to see whether it may
// mount there. Without a namespace it has nothing to do.
func TestMountInANamespace_IsAllowed(t *testing.T) {
	dir := os.Getenv(onDisk)
	if dir == "" {
		return
	}
	if err := mount(dir, 1<<20); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("b"), 0o600); err != nil {
		t.Fatal(err)
	}
}
