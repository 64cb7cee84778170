package siege

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// member is a process of freshet that is started again and again. Its methods
// are called by one goroutine.
type member struct {
	name    string // for people
	program string
	args    []string
	env     []string // beside that of this process
	log     *os.File

	cmd   *exec.Cmd
	ready chan struct{} // closed at the ready line, which `freshet up` alone has
	gone  chan struct{} // closed when the process has ended
	spent time.Duration // processor time of those that have ended
}

// start returns before the program is ready.
func (m *member) start() error {
	m.cmd = exec.Command(m.program, m.args...)
	m.cmd.Env = append(os.Environ(), m.env...)
	ready := make(chan struct{})
	m.cmd.Stdout = &readiness{then: sync.OnceFunc(func() { close(ready) })}
	m.cmd.Stderr = m.log
	// A parser that outlives the program may hold its output open.
	m.cmd.WaitDelay = 5 * time.Second
	if err := m.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", m.program, err)
	}
	gone := make(chan struct{})
	m.ready, m.gone = ready, gone
	cmd := m.cmd
	go func() {
		defer close(gone)
		_ = cmd.Wait() // its state says more
		if s := cmd.ProcessState; s != nil {
			m.spent += s.UserTime() + s.SystemTime()
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
func (m *member) awaitReady(ctx context.Context) error {
	select {
	case <-m.ready:
		return nil
	case <-m.gone:
		return fmt.Errorf("the %s ended before it was ready: %s", m.name, m.cmd.ProcessState)
	case <-time.After(readyWithin):
		return fmt.Errorf("the %s was not ready after %s", m.name, readyWithin)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fallen returns an error where the program ended without being told to.
func (m *member) fallen() error {
	select {
	case <-m.gone:
		return fmt.Errorf("the %s ended by itself: %s", m.name, m.cmd.ProcessState)
	default:
		return nil
	}
}

// kill ends the program as a power button would.
func (m *member) kill() {
	_ = m.cmd.Process.Kill() // it may be gone
	<-m.gone
}

// end ends the program as an operator does. One that cannot end is killed.
func (m *member) end() error {
	_ = m.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-m.gone:
		return nil
	case <-time.After(readyWithin):
		m.kill()
		return fmt.Errorf("the %s had not ended %s after it was asked to", m.name, readyWithin)
	}
}
