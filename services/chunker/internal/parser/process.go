package parser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// process is a running child. It belongs to one request at a time.
type process struct {
	cmd *exec.Cmd
	in  *os.File // to its standard input
	out *os.File // from its standard output
}

// poll is how often a request that takes long is looked at.
const poll = 50 * time.Millisecond

// start runs the command as a child. Pipes are made here because their ends
// have to be files with deadlines.
func start(command []string, memory int64) (*process, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make pipe: %w", err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make pipe: %w", err), childIn.Close(), in.Close())
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, nil
	// One goroutine parses; more threads would only compete with the parent,
	// and one arena is all that they need. A child lives on one document at a
	// time, so that its heap is small; collecting it at half of Go's default
	// saves 10 MB a child and costs less than a tenth of its time.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=50", "MALLOC_ARENA_MAX=1")
	if memory > 0 {
		// What the parent is to stay below says nothing of a child, which is
		// killed at its own limit: better to collect before.
		cmd.Env = append(cmd.Env, fmt.Sprintf("GOMEMLIMIT=%d", memory/4*3))
	}
	dieWithParent(cmd)
	err = cmd.Start()
	if err = errors.Join(err, childIn.Close(), childOut.Close()); err != nil {
		if cmd.Process != nil {
			err = errors.Join(err, cmd.Process.Kill(), cmd.Wait())
		}
		return nil, errors.Join(fmt.Errorf("start parser %s: %w", command[0], err), in.Close(), out.Close())
	}
	return &process{cmd: cmd, in: in, out: out}, nil
}

// stop ends the child and waits for it. Closing its standard input is enough
// for one that works; the kill is for one that does not.
func (p *process) stop() {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.out.Close()
	_ = p.cmd.Wait() // the exit status says "killed"
}

// limits of one request.
type limits struct {
	deadline time.Time
	memory   int64 // bytes resident
}

// The ways in which a request goes over its limits. They are reasons that
// users read.
var (
	errTime   = errors.New("parser took too long")
	errMemory = errors.New("parser used too much memory")
	errDied   = errors.New("parser died")
)

// split sends one request and reads its reply. After an error the child is in
// an unknown state and has to be stopped.
func (p *process) split(ctx context.Context, head, content []byte, lim limits) (reply, error) {
	pipe := &supervised{process: p, ctx: ctx, limits: lim}
	wake := context.AfterFunc(ctx, func() {
		_ = p.in.SetWriteDeadline(time.Now())
		_ = p.out.SetReadDeadline(time.Now())
	})
	defer wake()
	if err := writeFrames(pipe, head, content); err != nil {
		return reply{}, died(err)
	}
	return readReply(pipe)
}

// died turns an error of a pipe into errDied; errors of the limits stay.
func died(err error) error {
	if errors.Is(err, errTime) || errors.Is(err, errMemory) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", errDied, err)
}

// supervised reads and writes a child's pipes, and looks at its limits
// whenever it has to wait.
type supervised struct {
	process *process
	ctx     context.Context
	limits  limits
}

var _ io.ReadWriter = (*supervised)(nil)

func (s *supervised) Read(b []byte) (int, error) {
	return s.wait(s.process.out.SetReadDeadline, func() (int, error) { return s.process.out.Read(b) })
}

func (s *supervised) Write(b []byte) (int, error) {
	written := 0
	for {
		n, err := s.wait(s.process.in.SetWriteDeadline, func() (int, error) { return s.process.in.Write(b[written:]) })
		if written += n; err != nil || written == len(b) {
			return written, err
		}
	}
}

func (s *supervised) wait(setDeadline func(time.Time) error, do func() (int, error)) (int, error) {
	for {
		if err := s.ctx.Err(); err != nil {
			return 0, err
		}
		if err := setDeadline(time.Now().Add(poll)); err != nil {
			return 0, err
		}
		n, err := do()
		if n > 0 && errors.Is(err, os.ErrDeadlineExceeded) {
			err = nil
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if time.Now().After(s.limits.deadline) {
			return 0, errTime
		}
		if used, ok := resident(s.process.cmd.Process.Pid); ok && used > s.limits.memory {
			return 0, errMemory
		}
	}
}

// reason is the sentence for users.
func reason(err error) string {
	for _, known := range []error{errTime, errMemory, errDied} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return err.Error()
}
