package cli_test

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestWrongCommandLine_IsRefusedWithTheFix(t *testing.T) {
	t.Parallel()
	folder := tree(t, small)
	file := filepath.Join(folder, "parse.go")
	none := filepath.Join(folder, "none")
	tasks := filepath.Join(t.TempDir(), "tasks.jsonl")
	put(t, tasks, `{"id":"1","query":"heron","relevant":["parse.go"]}`)
	for _, c := range []struct {
		args  []string
		parts []string
	}{
		{[]string{"serach"}, []string{`"serach"`, "did you mean search?"}},
		{[]string{"status", "now"}, []string{"1 argument", "freshet status [flags]"}},
		{[]string{"up", "--colour"}, []string{"--colour", "freshet up --help"}},
		{[]string{"up", "--nats-port", "http"}, []string{"http", "--nats-port"}},
		{[]string{"up", "--nats-port", "70000", folder}, []string{"nats.port", "70000", "65535"}},
		{[]string{"up", none}, []string{none}},
		{[]string{"up", file}, []string{file, "not a folder"}},
		{[]string{"up", "--config", none, folder}, []string{none, "config print"}},
		{[]string{"index", none}, []string{none}},
		{[]string{"index"}, []string{"no argument", "freshet index PATH"}},
		{[]string{"search", "-path:vendor/ retries"}, []string{"-path:vendor/ retries is no flag", `freshet search -- "-path:vendor/ retries"`}},
		{[]string{"search"}, []string{"no argument", "freshet search QUERY"}},
		{[]string{"eval", "calibrate", tasks}, []string{"1 tasks with an answer and 0 without", "at least 50"}},
		{[]string{"search", "x", "--data", none}, []string{none, "freshet up"}},
		{[]string{"search", "x", "--deadline", "0s"}, []string{"0s", "1ms"}},
		{[]string{"search", "x", "--source", "No Slug"}, []string{"No Slug", "a-z"}},
		{[]string{"search", "x", "--nats", "nats://127.0.0.1:1"}, []string{"nats://127.0.0.1:1", "--nats"}},
		{[]string{"source", "add", none}, []string{none}},
		{[]string{"source", "add", folder, "--name", "No Slug"}, []string{"No Slug"}},
		{[]string{"source", "add"}, []string{"no argument", "freshet source add [PATH or ADDRESS]"}},
		{[]string{"source", "add", "--api", "No Slug"}, []string{"No Slug"}},
		{[]string{"source", "add", folder, "--api", "x"}, []string{"--api", "path"}},
		{[]string{"put", "tickets"}, []string{"1 argument", "freshet put SOURCE PATH [FILE]"}},
		{[]string{"put", "tickets", "/a.md"}, []string{"/a.md", "relative"}},
		{[]string{"put", "tickets", "a.md", "--if-version", "x"}, []string{"--if-version", `"x"`}},
		{[]string{"delete", "tickets"}, []string{"1 argument", "freshet delete SOURCE PATH…"}},
		{[]string{"changes"}, []string{"no freshet runs", "freshet up"}},
		{[]string{"source", "remove", "No Slug"}, []string{"No Slug"}},
		{[]string{"status"}, []string{"no freshet runs", "freshet up"}},
		{[]string{"token", file}, []string{"no freshet runs", "freshet up"}},
		{[]string{"dlq", "lst"}, []string{`"lst"`, "did you mean list?"}},
		{[]string{"dlq", "show"}, []string{"no argument", "freshet dlq show PATH"}},
		{[]string{"dlq", "retry"}, []string{"nothing is named", "--all"}},
		{[]string{"dlq", "drop"}, []string{"nothing is named", "--all"}},
		{[]string{"dlq", "drop", "--all", file}, []string{"paths and --all"}},
		{[]string{"dlq"}, []string{"no freshet runs", "freshet up"}},
		{[]string{"git", "install-hook", none}, []string{none}},
		{[]string{"git", "install-hook", folder}, []string{folder}},
		{[]string{"vulture"}, []string{"no freshet runs", "freshet up"}},
		{[]string{"vulture", "--for", "-1s"}, []string{"--for"}},
		{[]string{"vulture", "--writers", "0"}, []string{"--writers"}},
		{[]string{"vulture", "--dir", folder, "--source", "x"}, []string{"dir", "source"}},
		{[]string{"eval", "--index", "."}, []string{"keeps no golden questions", "name files with tasks"}},
		{[]string{"eval", none}, []string{none}},
		{[]string{"eval", file}, []string{file, "line 1", "write an object"}},
		{[]string{"eval", tasks, "-k", "0"}, []string{"--k is 0", "1 to 1000"}},
		{[]string{"eval", tasks, "--arm", "signals"}, []string{`"signals"`, "NAME=STAGE"}},
		{[]string{"eval", tasks, "--source", "No Slug"}, []string{"No Slug"}},
		{[]string{"eval", tasks, "--against", none}, []string{none, "--save"}},
		{[]string{"eval", tasks, "--against", file}, []string{file, "--save"}},
		{[]string{"eval", tasks, "--floors", file}, []string{file, "floors"}},
		{[]string{"eval", tasks, "--config", file}, []string{"--config", "--index"}},
		{[]string{"eval", tasks, "--ripgrep"}, []string{"--ripgrep", "--index"}},
		{[]string{"eval", tasks, "--index", none}, []string{none}},
		{[]string{"eval", tasks, "--index", folder, "--data", none}, []string{"--index", "--data"}},
		{[]string{"eval", tasks}, []string{"no freshet runs", "freshet up"}},
		{[]string{"config", "check", none}, []string{none}},
	} {
		refuse(t, program(t, c.args...), c.parts...)
	}
}

func TestFolderWithinAFolder_IsRefused(t *testing.T) {
	t.Parallel()
	folder := tree(t, map[string]string{"parse.go": "package api\n", "sub/a.md": "Herons.\n"})
	sub := filepath.Join(folder, "sub")
	r := run(t, "up", "--nats-port", "0", folder, sub)
	if last := r.stderr[strings.LastIndex(r.stderr, "freshet: ")+1:]; r.code != 2 || !strings.Contains(last, sub) || !strings.Contains(last, folder) {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
}

// nobody lets a command run as a user without special rights.
func nobody(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	if os.Geteuid() != 0 {
		return cmd // nothing to give up
	}
	dir, err := os.MkdirTemp("", "freshet-nobody")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	// The test binary lies in a folder of its owner's own.
	bin := filepath.Join(dir, "freshet")
	in, err := os.Open(cmd.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(bin, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	cmd.Path, cmd.Dir = bin, dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return cmd
}

func TestFolderWithoutPermission_IsRefused(t *testing.T) {
	folder, state := tree(t, small), t.TempDir()
	for _, dir := range []string{folder, state} {
		if err := os.Chmod(dir, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	}
	refuse(t, nobody(t, program(t, "up", folder, "--data", filepath.Join(t.TempDir(), "s"))), folder, "permission")
	refuse(t, nobody(t, program(t, "up", "--data", filepath.Join(state, "s"))), state, "permission", "--data")
}

func TestPortInUse_IsToldAndKeepsTheState(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	folder, data := tree(t, small), filepath.Join(t.TempDir(), "s")
	refuse(t, program(t, "up", folder, "--data", data, "--nats-port", port), port, "in use")
	i := start(t, data, folder)
	i.stop()
}

func TestSecondUp_IsRefused(t *testing.T) {
	t.Parallel()
	folder, data := tree(t, small), filepath.Join(t.TempDir(), "s")
	i := start(t, data, folder)
	refuse(t, program(t, "up", folder, "--data", data, "--nats-port", "0"), data, i.url, strconv.Itoa(i.cmd.Process.Pid), "source add")
	must(t, "search", "heron", "--data", data)
	i.stop()
}

func TestNewerState_IsRefusedAndKept(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	put(t, filepath.Join(data, "format"), "99\n")
	refuse(t, program(t, "up", "--data", data, "--nats-port", "0"), data, "newer", "99")
	refuse(t, program(t, "index", tree(t, small), "--data", data), data, "newer", "99")
	entries, err := os.ReadDir(data)
	if err != nil || len(entries) != 1 {
		t.Errorf("the state holds %v now, %v", entries, err)
	}
}

func TestWrongRequest_IsRefused(t *testing.T) {
	t.Parallel()
	i := start(t, filepath.Join(t.TempDir(), "s"), tree(t, small))
	refuse(t, program(t, "search", "", "--data", i.data), "query")
	refuse(t, program(t, "search", "  \t ", "--data", i.data), "query")
	for _, k := range []string{"0", "-1", "10000000"} {
		refuse(t, program(t, "search", "heron", "-k", k, "--data", i.data), k, "1 to 1000")
	}
	refuse(t, program(t, "search", "heron", "--token", "soon", "--data", i.data), "soon", "token")
	refuse(t, program(t, "search", "heron", "--token", "1.999", "--data", i.data), "1.999")
	refuse(t, program(t, "source", "remove", "nowhere", "--data", i.data), "nowhere")
	refuse(t, program(t, "token", filepath.Join(t.TempDir(), "x"), "--data", i.data), "source add")

	nc, err := nats.Connect(strings.TrimSpace(must(t, "connection", "--data", i.data)), nats.CustomInboxPrefix("_INBOX.ask"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for _, body := range []string{"{", `"x"`, `{"query":"x"} {}`, `{"query":"x","limit":5}`, `{"query":5}`, `{}`, ``} {
		m, err := nc.RequestWithContext(t.Context(), contract.SubjectSearch, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if code := m.Header.Get(micro.ErrorCodeHeader); code != "invalid_request" {
			t.Errorf("%s is answered with code %q: %s", body, code, m.Data)
		}
	}
	if out := must(t, "search", "heron", "--data", i.data); !strings.Contains(out, "parse.go") {
		t.Errorf("after all this the answer is\n%s", out)
	}
	i.stop()
}
