package cli_test

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestPutDocument_IsFoundByItsToken(t *testing.T) {
	t.Parallel()
	i := start(t, filepath.Join(t.TempDir(), "s"), tree(t, small))
	if out := must(t, "source", "add", "--api", "tickets", "--data", i.data); !strings.Contains(out, "tickets") || !strings.Contains(out, "api") {
		t.Errorf("source add --api: %s", out)
	}
	in := program(t, "put", "tickets", "a/4711.md", "--data", i.data)
	in.Stdin = strings.NewReader("A bittern booms.\n")
	token := strings.TrimSpace(finish(t, in).stdout)
	if r := run(t, "search", "bittern", "--token", token, "--data", i.data); r.code != 0 || !strings.HasPrefix(r.stdout, "tickets:a/4711.md:1 ") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	file := filepath.Join(t.TempDir(), "4711.md")
	put(t, file, "A dunlin wades \xff.\n")
	reply := strict[contract.WriteReply](t, "write-reply", must(t, "put", "tickets", "a/4711.md", file, "--json", "--data", i.data))
	if d := reply.Documents[0]; d.Op != contract.OpPut || d.Version == 0 {
		t.Errorf("%+v", reply)
	}
	if r := run(t, "search", "dunlin", "--token", reply.Token.String(), "--data", i.data); r.code != 0 {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	other := filepath.Join(t.TempDir(), "other.md")
	put(t, other, "Something else.\n")
	refuse(t, program(t, "put", "tickets", "a/4711.md", other, "--if-version", "0", "--data", i.data), "is there already")
	refuse(t, program(t, "put", "nobody", "a.md", file, "--data", i.data), "source add --api nobody")
	refuse(t, program(t, "put", "tickets", "../a.md", file, "--data", i.data), `".."`)
	refuse(t, program(t, "put", "tickets", "a.md", "/nowhere/at/all", "--data", i.data), "/nowhere/at/all")
	binary := program(t, "put", "tickets", "a.bin", "-", "--data", i.data)
	binary.Stdin = strings.NewReader("\x00\x01")
	refuse(t, binary, "a.bin", "not indexed", "binary")
	large := program(t, "put", "tickets", "large.md", "--data", i.data)
	large.Stdin = strings.NewReader(strings.Repeat("x", 9<<20))
	refuse(t, large, "larger than", "max_payload")
	// It fits, and its JSON does not.
	escaped := program(t, "put", "tickets", "large.md", "--data", i.data)
	escaped.Stdin = strings.NewReader(strings.Repeat("\n", 5<<20))
	refuse(t, escaped, "freshet.files.put", "max_payload")

	gone := strings.TrimSpace(must(t, "delete", "tickets", "a/4711.md", "never.md", "--data", i.data))
	if r := run(t, "search", "dunlin", "--source", "tickets", "--token", gone, "--data", i.data); r.code != 1 {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	refuse(t, program(t, "delete", "tickets", "a.md", "b.md", "--if-version", "7", "--data", i.data), "one by one")
	if out := must(t, "source", "list", "--data", i.data); !strings.Contains(out, "none") || !strings.Contains(out, "watched") {
		t.Errorf("source list: %s", out)
	}
	i.stop()
}

// following runs `freshet changes` and returns its lines.
func following(t *testing.T, args ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := program(t, append([]string{"changes"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewScanner(out)
}

func TestChanges_AreFollowed(t *testing.T) {
	t.Parallel()
	i := start(t, filepath.Join(t.TempDir(), "s"))
	must(t, "source", "add", "--api", "tickets", "--data", i.data)
	must(t, "source", "add", "--api", "other", "--data", i.data)
	refuse(t, program(t, "changes", "--source", "nobody", "--data", i.data), `"nobody"`)
	plain, lines := following(t, "--data", i.data)
	_, values := following(t, "--source", "tickets", "--json", "--data", i.data)
	// Nothing tells when they listen, so that a change is made again until both
	// have told one.
	stop, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, source := range []string{"other", "tickets"} {
				in := program(t, "put", source, "4711.md", "--data", i.data)
				in.Stdin = strings.NewReader("A bittern booms.\n")
				_ = in.Run()
				_ = program(t, "delete", source, "4711.md", "--data", i.data).Run()
			}
		}
	}()
	if !values.Scan() {
		t.Fatal("no change in JSON")
	}
	if c := strict[contract.Change](t, "change", values.Text()); c.Source != "tickets" || c.Path != "4711.md" || c.Token.IsZero() {
		t.Errorf("%+v", c)
	}
	if !lines.Scan() {
		t.Fatal("no change")
	}
	if f := strings.Fields(lines.Text()); len(f) < 4 || !strings.HasSuffix(f[2], ":4711.md") || strings.Count(f[len(f)-1], ".") != 1 {
		t.Errorf("the line is %q", lines.Text())
	}
	close(stop)
	<-told
	if err := plain.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	_ = plain.Wait()
	if code := plain.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit %d after an interrupt", code)
	}
	i.stop()
}

func TestCommitOfThisRepository_IsFound(t *testing.T) {
	t.Parallel()
	work := tree(t, small)
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", work, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-qm", "one")
	i := start(t, filepath.Join(t.TempDir(), "s"), work)
	put(t, filepath.Join(work, "new.md"), "A bittern booms.\n")
	git("add", "-A")
	git("commit", "-qm", "two")
	for _, revision := range []string{"HEAD", git("rev-parse", "HEAD"), git("rev-parse", "HEAD")[:9], "HEAD~1"} {
		cmd := program(t, "search", "bittern", "--commit", revision, "--deadline", "60s", "--data", i.data)
		cmd.Dir = work
		if r := finish(t, cmd); r.code != 0 || strings.Contains(r.stderr, "degraded") {
			t.Errorf("%s: exit %d: %s%s", revision, r.code, r.stdout, r.stderr)
		}
	}
	// From elsewhere an id is as good, and a name is not.
	if r := run(t, "search", "bittern", "--commit", git("rev-parse", "HEAD"), "--deadline", "60s", "--data", i.data); r.code != 0 || strings.Contains(r.stderr, "degraded") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	refuse(t, program(t, "search", "bittern", "--commit", "HEAD", "--data", i.data), `"HEAD"`, "in the repository")
	if r := run(t, "search", "bittern", "--commit", "0123456789", "--deadline", "300ms", "--data", i.data); r.code != 0 || !strings.Contains(r.stderr, "commit 0123456789 has not been seen") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	i.stop()
}
