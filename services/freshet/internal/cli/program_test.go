package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/services/freshet/internal/cli"
)

// asProgram makes the test binary be freshet.
const asProgram = "FRESHET_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// patient is a query service that leaves nothing out of an answer because
// the machine is busy: ranks are compared here.
var patient = []string{"FRESHET_QUERY_DEADLINE=30s", "FRESHET_QUERY_CHANNEL_DEADLINE=20s", "FRESHET_QUERY_EMBED_DEADLINE=10s"}

// program returns a command that runs freshet with a state folder of its own
// and nothing of the caller's environment that could lead it elsewhere.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(append(os.Environ(), patient...), asProgram+"=1", "XDG_STATE_HOME="+filepath.Join(t.TempDir(), "state"), instance.EnvURL+"=")
	cmd.Dir = t.TempDir()
	return cmd
}

// result is what a finished command left.
type result struct {
	code           int
	stdout, stderr string
}

func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

func run(t *testing.T, args ...string) result {
	t.Helper()
	return finish(t, program(t, args...))
}

// must runs a command that has to succeed.
func must(t *testing.T, args ...string) string {
	t.Helper()
	r := run(t, args...)
	if r.code != 0 {
		t.Fatalf("freshet %s: exit %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// refuse runs a command that has to end with exit code 2, no output, and one
// sentence on standard error that names all of parts.
func refuse(t *testing.T, cmd *exec.Cmd, parts ...string) {
	t.Helper()
	r := finish(t, cmd)
	name := strings.Join(cmd.Args[1:], " ")
	if r.code != 2 || r.stdout != "" {
		t.Errorf("freshet %s: exit %d, output %q", name, r.code, r.stdout)
	}
	if !strings.HasPrefix(r.stderr, "freshet: ") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("freshet %s: not one sentence: %q", name, r.stderr)
	}
	for _, p := range parts {
		if !strings.Contains(r.stderr, p) {
			t.Errorf("freshet %s: %q does not name %q", name, r.stderr, p)
		}
	}
}

// running is a `freshet up`.
type running struct {
	t    *testing.T
	cmd  *exec.Cmd
	data string
	url  string

	mu     sync.Mutex
	stderr bytes.Buffer
	ready  string // the line
	exited chan struct{}
}

// Write implements io.Writer for standard error.
func (i *running) Write(b []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.stderr.Write(b)
}

func (i *running) errors() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.stderr.String()
}

// start runs `freshet up` with args and waits for the ready line.
func start(t *testing.T, data string, args ...string) *running {
	t.Helper()
	return startWith(t, nil, data, args...)
}

// startWith does the same with variables of the environment.
func startWith(t *testing.T, env []string, data string, args ...string) *running {
	t.Helper()
	i, lines := launch(t, env, data, args...)
	line, ok := <-lines
	if !ok {
		t.Fatalf("freshet up ended before it was ready:\n%s", i.errors())
	}
	go func() {
		for range lines { // so that it is never blocked
		}
	}()
	rest, ok := strings.CutPrefix(line, "ready nats://")
	if !ok {
		t.Fatalf("the ready line is %q", line)
	}
	i.ready = line
	i.url = "nats://" + strings.Fields(rest)[0]
	return i
}

// launch runs `freshet up` and returns the lines of its standard output. It is
// killed at the end of the test if it still runs.
func launch(t *testing.T, env []string, data string, args ...string) (*running, <-chan string) {
	t.Helper()
	i := &running{t: t, data: data, exited: make(chan struct{})}
	i.cmd = program(t, append([]string{"up", "--data", data, "--nats-port", "0"}, args...)...)
	i.cmd.Env = append(i.cmd.Env, env...)
	i.cmd.Stderr = i
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	i.cmd.Stdout = write
	if err := i.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	lines := make(chan string, 16)
	go func() {
		defer close(lines)
		defer read.Close()
		for s := bufio.NewScanner(read); s.Scan(); {
			lines <- s.Text()
		}
		_, _ = io.Copy(io.Discard, read)
	}()
	go func() {
		_ = i.cmd.Wait()
		close(i.exited)
	}()
	t.Cleanup(func() {
		_ = i.cmd.Process.Kill()
		<-i.exited
	})
	return i, lines
}

func (i *running) signal(s syscall.Signal) {
	i.t.Helper()
	if err := i.cmd.Process.Signal(s); err != nil {
		i.t.Fatal(err)
	}
}

// wait returns the exit code.
func (i *running) wait() int {
	<-i.exited
	return i.cmd.ProcessState.ExitCode()
}

// stop ends the instance as Ctrl-C does and checks that it went well.
func (i *running) stop() {
	i.t.Helper()
	i.signal(syscall.SIGINT)
	if code := i.wait(); code != 0 {
		i.t.Errorf("exit %d after an interrupt:\n%s", code, i.errors())
	}
}

// tree writes files into a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	return dir
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

var small = map[string]string{
	"parse.go":  "package api\n\n// ParseHeron reads a heron.\nfunc ParseHeron(s string) string { return s }\n",
	"README.md": "# Herons\n\nA heron stands in the reeds.\n",
}

// untilAnnounced waits until the instance file is there: the log is open and
// the services are about to run.
func (i *running) untilAnnounced() {
	i.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(filepath.Join(i.data, "instance.json")); err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-i.exited:
			i.t.Fatalf("freshet up ended early:\n%s", i.errors())
		}
	}
}
