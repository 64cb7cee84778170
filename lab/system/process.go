package system

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// Options say how to start the program.
type Options struct {
	Binary string   // path of the program
	Data   string   // its state folder
	Paths  []string // what it watches
	Config string   // configuration file; "" means the defaults
}

// Process is one run of `freshet up`. Wait for readiness with Ready, end it
// with Stop. Its methods are safe for concurrent use, Stop is called once.
type Process struct {
	cmd     *exec.Cmd
	data    string
	started time.Time
	sampler *sampler
	ready   chan struct{}
	exited  chan struct{}
	readers sync.WaitGroup

	mu      sync.Mutex
	url     string
	readyAt time.Time
	stderr  tail
	err     error
}

// interrupted is the exit code of a program that ended as asked by Ctrl-C.
const interrupted = 130

// Start runs the program. The process ends at the latest with ctx.
func Start(ctx context.Context, o Options) (*Process, error) {
	args := []string{"up", "--data", o.Data, "--nats-port", "0"}
	if o.Config != "" {
		args = append(args, "--config", o.Config)
	}
	cmd := exec.CommandContext(ctx, o.Binary, append(args, o.Paths...)...)
	// What is measured must not end up in the log of somebody else.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "FRESHET_NATS_") })
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("open the program's output: %w", err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, fmt.Errorf("open the program's messages: %w", err)
	}
	p := &Process{cmd: cmd, data: o.Data, ready: make(chan struct{}), exited: make(chan struct{}), started: time.Now()}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Binary, err)
	}
	p.sampler = startSampler(cmd.Process.Pid)
	p.readers.Go(func() { p.readOutput(stdout) })
	p.readers.Go(func() { _, _ = io.Copy(&p.stderr, stderr) })
	go func() {
		p.readers.Wait()
		err := cmd.Wait()
		p.mu.Lock()
		p.err = err
		p.mu.Unlock()
		close(p.exited)
	}()
	return p, nil
}

// readOutput looks for the line that says that everything is searchable.
func (p *Process) readOutput(r io.Reader) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		rest, ok := strings.CutPrefix(lines.Text(), "ready ")
		if !ok || !strings.HasPrefix(rest, "nats://") {
			continue
		}
		p.mu.Lock()
		first := p.url == ""
		if first {
			url, _, _ := strings.Cut(rest, " ")
			p.url = p.login(url)
			p.readyAt = time.Now()
		}
		p.mu.Unlock()
		if first {
			close(p.ready)
		}
	}
	_, _ = io.Copy(io.Discard, r)
}

// login puts the login of who reads the log into the URL of the program.
func (p *Process) login(url string) string {
	i, err := instance.Read(p.data)
	if err != nil {
		return url
	}
	r, err := i.Remote(bus.UserServices)
	if err != nil {
		return url // the first question tells
	}
	r.URL = url
	return r.WithLogin()
}

// Ready waits for the line `ready nats://…` and returns the URL in it, with a
// login, and the time from the start of the process to that line.
func (p *Process) Ready(ctx context.Context) (url string, after time.Duration, err error) {
	select {
	case <-p.ready:
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.url, p.readyAt.Sub(p.started), nil
	case <-p.exited:
		return "", 0, fmt.Errorf("the program ended before it was ready: %w", p.failure())
	case <-ctx.Done():
		return "", 0, fmt.Errorf("the program was not ready in time: %w\n%s", ctx.Err(), p.stderr.String())
	}
}

// Started is when the process began.
func (p *Process) Started() time.Time { return p.started }

// Usage returns what the process and its children have used so far.
func (p *Process) Usage() Usage { return p.sampler.usage() }

// Stop asks the process to end as Ctrl-C does, waits for it, and returns how
// long that took.
func (p *Process) Stop() (time.Duration, error) {
	begin := time.Now()
	defer p.sampler.stop()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, fmt.Errorf("interrupt the program: %w", err)
	}
	select {
	case <-p.exited:
	case <-time.After(20 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.exited
		return time.Since(begin), errors.New("the program did not end within 20 s of an interrupt and was killed")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var exit *exec.ExitError
	if p.err != nil && (!errors.As(p.err, &exit) || exit.ExitCode() != interrupted) {
		return time.Since(begin), fmt.Errorf("the program ended with %w: %s", p.err, p.stderr.String())
	}
	return time.Since(begin), nil
}

func (p *Process) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		return fmt.Errorf("exit code 0: %s", p.stderr.String())
	}
	return fmt.Errorf("%w: %s", p.err, p.stderr.String())
}

// tail keeps the last part of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(b)
	if extra := t.buf.Len() - tailSize; extra > 0 {
		t.buf.Next(extra)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(t.buf.String())
}
