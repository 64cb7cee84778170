package sessions

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// user is whose home the pages show.
const user = "/home/ada"

var (
	address = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	token   = regexp.MustCompile(`\btoken \d+\.\d+`)
)

// shell runs commands one after the other as somebody with a new home would.
type shell struct {
	t    *testing.T
	home string
	dir  string // where the last command has left it
	path string
}

// newShell takes the folder of the program.
func newShell(t *testing.T, bin string) *shell {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &shell{t: t, home: home, dir: home, path: bin + ":" + os.Getenv("PATH")}
}

func (s *shell) command(script string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + s.home, "PATH=" + s.path, "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8"}
	return cmd
}

// run returns what a command prints, as the pages have it. A program that stays
// is left to run until the test ends, and has printed its first line.
func (s *shell) run(script string) string {
	s.t.Helper()
	if strings.HasPrefix(script, "freshet up") {
		return s.start(strings.TrimSuffix(script, " &"))
	}
	at := filepath.Join(s.home, ".at")
	cmd := s.command(script + "\ncode=$?; pwd > " + at + "; exit $code")
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // 1 is for no hits
		s.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	dir, err := os.ReadFile(at)
	if err != nil {
		s.t.Fatal(err)
	}
	s.dir = strings.TrimSpace(string(dir))
	return s.normal(string(out))
}

// start runs the instance, on a port that nobody has.
func (s *shell) start(script string) string {
	s.t.Helper()
	cmd := s.command("exec " + script + " --nats-port 0")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	s.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_, _ = lines.WriteTo(os.Stderr)
		if err := cmd.Wait(); err != nil {
			s.t.Errorf("%s: %v", script, err)
		}
	})
	line, err := lines.ReadString('\n')
	if err != nil {
		s.t.Fatalf("%s: %v", script, err)
	}
	return s.normal(line)
}

// normal takes out what differs from run to run.
func (s *shell) normal(out string) string {
	out = strings.ReplaceAll(out, s.home, user)
	out = address.ReplaceAllString(out, "127.0.0.1:4722")
	return token.ReplaceAllString(out, "token 1795259840.1882466381987844")
}
