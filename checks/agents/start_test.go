package agents_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/freshet-dev/freshet/pkg/instance"
)

// machine is a home in which no freshet runs, with the two programs.
type machine struct{ home, programs, data string }

func newMachine(t *testing.T) machine {
	t.Helper()
	m := machine{t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "state")}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"freshet", "freshet-mcp"} {
		if err := os.Link(self, filepath.Join(m.programs, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if r, err := instance.Read(m.data); err == nil && r.Running(m.data) {
			_ = syscall.Kill(r.PID, syscall.SIGTERM)
			for r.Running(m.data) {
				time.Sleep(5 * time.Millisecond)
			}
		}
	})
	return m
}

// project makes a folder with files, a git work tree where git says so.
func (m machine) project(t *testing.T, git bool) string {
	t.Helper()
	p := project{folder: t.TempDir()}
	for name, text := range files {
		p.write(t, name, text)
	}
	if git {
		if out, err := exec.Command("git", "init", "-q", p.folder).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	}
	return p.folder
}

func (m machine) server(t *testing.T, folder string, env []string, flags ...string) *exec.Cmd {
	t.Helper()
	cmd := itself(t, "server", append([]string{"--data", m.data}, flags...)...)
	cmd.Path = filepath.Join(m.programs, "freshet-mcp")
	cmd.Env = append(append(cmd.Env, "HOME="+m.home), env...)
	cmd.Dir = folder
	return cmd
}

func (m machine) connect(t *testing.T, folder string, env []string, flags ...string) *mcp.ClientSession {
	t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: m.server(t, folder, env, flags...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestTenAgentsFindNoFreshet_OneIsStarted(t *testing.T) {
	m := newMachine(t)
	folders := []string{m.project(t, true), m.project(t, true)}
	var all sync.WaitGroup
	for n := range 10 {
		s := m.connect(t, filepath.Join(folders[n%2], "sub"), nil)
		all.Go(func() {
			result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"query": "ParseHeron", "limit": 1}})
			if err != nil || result.IsError || !strings.Contains(result.Content[0].(*mcp.TextContent).Text, "func ParseHeron(") {
				t.Errorf("session %d: %+v, %v", n, result, err)
			}
		})
	}
	all.Wait()
	log, err := os.ReadFile(filepath.Join(m.data, "freshet.log"))
	if err != nil || strings.Contains(string(log), "in use") { // as a second one would say
		t.Errorf("the log is %s, %v", log, err)
	}
	text, out, _ := call(t, m.connect(t, folders[0], nil), "status", nil)
	if sources, _ := out["sources"].([]any); len(sources) != 2 || !strings.Contains(text, "ends when nobody has asked for 30m0s") {
		t.Errorf("the status is %s", text)
	}
}

func TestProjectThatMayNotBeIndexed_StartsNothing(t *testing.T) {
	m := newMachine(t)
	plain, tree := m.project(t, false), m.project(t, true)
	for name, c := range map[string]struct {
		folder string
		env    []string
	}{
		"in no work tree":          {plain, nil},
		"the home folder":          {tree, []string{"HOME=" + tree}},
		"above the home folder":    {tree, []string{"HOME=" + filepath.Join(tree, "sub")}},
		"the home folder is below": {plain, []string{"HOME=" + filepath.Join(plain, "sub"), "FRESHET_AGENTS_ROOTS=" + filepath.Dir(plain)}},
		"beside a root":            {plain, []string{"FRESHET_AGENTS_ROOTS=" + plain + "-other"}},
	} {
		text, _, failed := call(t, m.connect(t, c.folder, c.env), "search", map[string]any{"query": "heron"})
		if !failed || !strings.Contains(text, "none was started") || !strings.Contains(text, "agents.roots") {
			t.Errorf("%s: %s", name, text)
		}
		if _, err := os.Stat(m.data); err == nil {
			t.Fatalf("%s: a state folder was made", name)
		}
	}
	if text, _, failed := call(t, m.connect(t, tree, nil, "--no-start"), "search", map[string]any{"query": "heron"}); !failed || !strings.Contains(text, "no freshet runs on") {
		t.Errorf("without a start: %s", text)
	}
	roots := []string{"FRESHET_AGENTS_ROOTS=" + plain}
	text, _, failed := call(t, m.connect(t, plain, roots), "search", map[string]any{"query": "heron", "limit": 1})
	if failed || !strings.Contains(text, "is watched from now on") {
		t.Errorf("below a root: %s", text)
	}
	// What runs by now is not a reason to index more than is allowed.
	other := m.project(t, false)
	if text, _, failed := call(t, m.connect(t, other, nil), "status", nil); failed || !strings.Contains(text, "agents.roots") || strings.Contains(text, filepath.Base(other)+" (") {
		t.Errorf("in another folder: %s", text)
	}
}

func TestProjectLargerThanTheLimits_IsHeldWithTheFix(t *testing.T) {
	m := newMachine(t)
	s := m.connect(t, m.project(t, true), []string{"FRESHET_LIMITS_FILES=2"})
	for range 2 {
		if text, _, failed := call(t, s, "status", nil); failed || !strings.Contains(text, "freshet source add --accept") || !strings.Contains(text, "0 documents") {
			t.Errorf("the status is %s", text)
		}
	}
}

// The client's process is gone, and another one has its end of the pipe.
func TestClientIsKilledAndItsPipeStaysOpen_ServerEnds(t *testing.T) {
	m := newMachine(t)
	cmd := m.server(t, m.project(t, true), nil)
	shell := exec.Command("/bin/sh", append([]string{"-c", `"$@" <&3 & wait`, "sh", cmd.Path}, cmd.Args[1:]...)...)
	shell.Env, shell.Dir = cmd.Env, cmd.Dir
	in, kept, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	defer in.Close()
	shell.ExtraFiles = []*os.File{in}
	out, err := shell.StdoutPipe()
	if err == nil {
		err = shell.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintln(kept, `{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}`); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, "freshet") {
		t.Fatalf("%q, %v", line, err)
	}
	if err := shell.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The end of its output is that of the server.
	if _, err := io.Copy(io.Discard, answers); err != nil {
		t.Error(err)
	}
	_ = shell.Wait()
}

// What it asks is not answered any more, and its client leaves.
func TestClientLeavesAmidACall_ServerEnds(t *testing.T) {
	p := newProject(t, files)
	cmd := itself(t, "server", "--data", p.data)
	cmd.Dir = p.folder
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	ask := func(text string) {
		t.Helper()
		if _, err := fmt.Fprintln(in, text); err != nil {
			t.Fatal(err)
		}
	}
	ask(`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}`)
	ask(`{"jsonrpc": "2.0", "method": "notifications/initialized"}`)
	ask(`{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "status", "arguments": {}}}`)
	for range 2 {
		if line, err := answers.ReadString('\n'); err != nil {
			t.Fatalf("%q, %v", line, err)
		}
	}
	r, err := instance.Read(p.data)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(r.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(r.PID, syscall.SIGCONT) }()
	ask(`{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "heron"}}}`)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answers)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
