package apart

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a program that runs.
type process struct {
	t    *testing.T
	name string
	cmd  *exec.Cmd
	log  *output
	done chan struct{} // closed when it has ended
}

// output is what a process writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// begin starts a command that is killed at the end of the test at the latest.
func begin(t *testing.T, name string, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, name: name, cmd: cmd, log: &output{}, done: make(chan struct{})}
	cmd.Stderr = p.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // told by ProcessState
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Logf("%s wrote:\n%s", name, p.log)
		}
	})
	return p
}

// start starts a service with the configuration file and some variables.
func start(t *testing.T, service, config string, env ...string) *process {
	t.Helper()
	cmd := exec.Command(program(t, service), "--config", config, "--log", "info")
	cmd.Env = append(append(os.Environ(), "FRESHET_HEALTH_LISTEN=127.0.0.1:0"), env...)
	return begin(t, service, cmd)
}

// natsAt starts a server on a folder; port 0 takes a free one.
func natsAt(t *testing.T, dir, port string) (*process, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), asServer+"="+dir, asServerPort+"="+port)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p := begin(t, "nats", cmd)
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the NATS server does not start: %v\n%s", err, p.log)
	}
	return p, strings.TrimSpace(url)
}

// says waits until the process has written something that matches, and returns
// the last group.
func (p *process) says(pattern string) string {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	var found string
	p.eventually(func() bool {
		m := re.FindStringSubmatch(p.log.String())
		if m != nil {
			found = m[len(m)-1]
		}
		return m != nil
	}, "to say "+pattern)
	return found
}

// readyz asks the process whether it is ready.
func (p *process) readyz() (code int, sentence string) {
	p.t.Helper()
	url := "http://" + p.says(`health=(127\.0\.0\.1:\d+)`) + "/readyz"
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// ready waits until the process is.
func (p *process) ready() {
	p.t.Helper()
	p.eventually(func() bool { code, _ := p.readyz(); return code == http.StatusOK }, "to be ready")
}

// eventually waits for something; go test's own limit ends it otherwise.
func (p *process) eventually(fn func() bool, what string) {
	p.t.Helper()
	for !fn() {
		select {
		case <-p.done:
			p.t.Fatalf("the %s has ended instead of %s:\n%s", p.name, what, p.log)
		case <-p.t.Context().Done():
			p.t.Fatalf("waiting for the %s %s", p.name, what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stop ends the process with a signal, and expects an exit code.
func (p *process) stop(s syscall.Signal, code int) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
	<-p.done
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("the %s ends with %d after %v:\n%s", p.name, got, s, p.log)
	}
}
