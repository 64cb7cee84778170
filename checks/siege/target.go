package siege

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// target is `freshet up` on one state folder, started again and again. Its
// methods are called by one goroutine.
type target struct {
	program string
	args    []string
	env     []string // beside that of this process
	log     *os.File

	cmd   *exec.Cmd
	ready chan struct{} // closed at the ready line
	gone  chan struct{} // closed when the process has ended
	spent time.Duration // processor time of those that have ended
}

// start returns before the program is ready.
func (i *target) start() error {
	i.cmd = exec.Command(i.program, append([]string{"up"}, i.args...)...)
	i.cmd.Env = append(os.Environ(), i.env...)
	ready := make(chan struct{})
	i.cmd.Stdout = &readiness{then: sync.OnceFunc(func() { close(ready) })}
	i.cmd.Stderr = i.log
	// A parser that outlives the program may hold its output open.
	i.cmd.WaitDelay = 5 * time.Second
	if err := i.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", i.program, err)
	}
	gone := make(chan struct{})
	i.ready, i.gone = ready, gone
	cmd := i.cmd
	go func() {
		defer close(gone)
		_ = cmd.Wait() // its state says more
		if s := cmd.ProcessState; s != nil {
			i.spent += s.UserTime() + s.SystemTime()
		}
	}()
	return nil
}

// readiness waits for the ready line on a standard output.
type readiness struct {
	line []byte
	then func()
}

func (r *readiness) Write(p []byte) (int, error) {
	if r.line = append(r.line, p...); bytes.HasPrefix(r.line, []byte("ready ")) && bytes.IndexByte(r.line, '\n') >= 0 {
		r.then()
		r.line = r.line[:len("ready \n")]
	}
	return len(p), nil
}

// readyWithin is far above what a start takes that does not hang.
const readyWithin = 5 * time.Minute

// awaitReady waits for the ready line.
func (i *target) awaitReady(ctx context.Context) error {
	select {
	case <-i.ready:
		return nil
	case <-i.gone:
		return fmt.Errorf("the program ended before it was ready: %s", i.cmd.ProcessState)
	case <-time.After(readyWithin):
		return fmt.Errorf("the program was not ready after %s", readyWithin)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fallen returns an error where the program ended without being told to.
func (i *target) fallen() error {
	select {
	case <-i.gone:
		return fmt.Errorf("the program ended by itself: %s", i.cmd.ProcessState)
	default:
		return nil
	}
}

// kill ends the program as a power button would.
func (i *target) kill() {
	_ = i.cmd.Process.Kill() // it may be gone
	<-i.gone
}

// end ends the program as an operator does. One that cannot end is killed.
func (i *target) end() error {
	_ = i.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-i.gone:
		return nil
	case <-time.After(readyWithin):
		i.kill()
		return fmt.Errorf("the program had not ended %s after it was asked to", readyWithin)
	}
}

// freeze stops the program, or one of its children, for a while.
func (i *target) freeze(ctx context.Context, pid int, d time.Duration) {
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	_ = syscall.Kill(pid, syscall.SIGCONT)
}

// written returns the log of the program so far.
func (i *target) written() ([]byte, error) {
	if _, err := i.log.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(i.log)
}
