package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// guard starts its arguments in place of the shell, beside a watcher that reads
// a pipe of which only this process holds the other end. When this process is
// gone, however it ended, the watcher kills its process group: the server and
// itself. (Linux could do without by a death signal, which is bound to a thread;
// macOS has none.)
const guard = `exec 3<&0; (cat <&3; kill -KILL 0) >/dev/null 2>&1 & exec 3<&-; exec "$@" </dev/null`

// process is a child that cannot outlive this process.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the child has ended
}

// launch starts cmd; what it writes is added to the file log.
func launch(cmd *exec.Cmd, log string) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }() // the child has its own
	p := &process{cmd: exec.Command("/bin/sh", append([]string{"-c", guard, "sh", cmd.Path}, cmd.Args[1:]...)...), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = cmd.Dir, cmd.Env, out, out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// Waiting for the child closes the pipe, and so ends the watcher.
	if _, err := p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait() // ProcessState says how it ended
	}()
	return p, nil
}

// stop asks the child to end and waits for it; when ctx ends first, it kills.
func (p *process) stop(ctx context.Context) error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	} else if err != nil {
		<-p.done
		return fmt.Errorf("it had ended by itself before (%s)", p.cmd.ProcessState)
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		p.kill()
		return ctx.Err()
	}
}

// kill ends the child at once and waits until it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // fails only if it has ended
	<-p.done
}

// tail is the end of a log, for an error.
func tail(log string) string {
	const length = 4 << 10
	f, err := os.Open(log)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = f.Close() }() // only read
	if info, err := f.Stat(); err == nil && info.Size() > length {
		_, _ = f.Seek(-length, io.SeekEnd) // else all of it is shown
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
