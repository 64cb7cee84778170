package e2e

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
)

// program is `freshet up` in a process of its own.
type program struct {
	t    *testing.T
	cmd  *exec.Cmd
	url  string
	line string // the whole ready line
}

// freshetCommand is the freshet program with its arguments: this binary.
func freshetCommand(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(append(os.Environ(), asProgram+"=1"), env...)
	return cmd
}

// launch starts `freshet up` and returns before it is ready.
func launch(t *testing.T, env []string, args ...string) (*program, io.Reader) {
	t.Helper()
	return launchCommand(t, freshetCommand(t, env, append([]string{"up"}, args...)...))
}

// launchCommand starts a command that says when it is ready, and returns
// before it is.
func launchCommand(t *testing.T, cmd *exec.Cmd) (*program, io.Reader) {
	t.Helper()
	p := &program{t: t, cmd: cmd}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaints strings.Builder
	p.cmd.Stderr = &complaints
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.kill()
		if t.Failed() && complaints.Len() > 0 {
			t.Logf("freshet up wrote:\n%s", complaints.String())
		}
	})
	return p, out
}

// start starts `freshet up` and waits for its ready line.
func start(t *testing.T, env []string, args ...string) *program {
	t.Helper()
	p, out := launch(t, env, args...)
	p.ready(out)
	return p
}

// ready waits for the line that scripts wait for.
func (p *program) ready(out io.Reader) {
	p.t.Helper()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.t.Fatalf("freshet up ended without a ready line: %v", err)
	}
	fields := strings.Fields(line)
	if len(fields) < 2 || fields[0] != "ready" || !strings.HasPrefix(fields[1], "nats://") {
		p.t.Fatalf("freshet up says %q", line)
	}
	p.line, p.url = line, fields[1]
}

// kill ends the process as a power button would end the program, and waits
// until it is gone. It may be called again.
func (p *program) kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait() // says "killed"
	}
}

// stop ends the process as Ctrl-C does.
func (p *program) stop() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("freshet up did not end cleanly: %v", err)
	}
}

// attach returns a rig on a running program.
func attach(t *testing.T, url, data string) *rig {
	t.Helper()
	b, err := bus.Connect(context.Background(), login(t, data, url))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return &rig{t: t, data: data, bus: b}
}
