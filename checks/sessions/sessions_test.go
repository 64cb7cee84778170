// Package sessions runs the sessions that the README and the tutorial show, so
// that what stands there is what the program prints.
package sessions

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the sessions print into the pages")

const (
	readme   = "../../README.md"
	tutorial = "../../docs/tutorial/first-index.md"
	picture  = "../../docs/images/session.svg"
)

// The README's session is above this heading, on the source of a module that
// go.mod names with its version.
const (
	headingBehind = "\n## Two commands"
	corpus        = "github.com/nats-io/nats.go"
	corpusFolder  = "src/nats.go"
)

// build returns the folder of the program.
func build(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../../services/freshet/cmd/freshet")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

func TestSessionOfTheReadme_IsThatOfToday(t *testing.T) {
	t.Parallel()
	s := newShell(t, build(t))
	s.dir = filepath.Join(s.home, corpusFolder)
	copyCorpus(t, s.dir)
	text := read(t, readme)
	session, rest, ok := strings.Cut(text, headingBehind)
	if !ok {
		t.Fatalf("%s has no heading %q", readme, headingBehind)
	}
	session = play(s, session)
	compare(t, readme, text, session+headingBehind+rest)
	compare(t, picture, read(t, picture), draw(session))
}

func TestSessionOfTheTutorial_IsThatOfToday(t *testing.T) {
	t.Parallel()
	s := newShell(t, build(t))
	text := read(t, tutorial)
	compare(t, tutorial, text, play(s, text))
}

// play runs the sessions of a text, and returns it with what they print.
func play(s *shell, text string) string {
	s.t.Helper()
	p := readPage(text)
	if len(p.steps) == 0 {
		s.t.Fatal("the page has no session")
	}
	printed := make([]string, len(p.steps))
	for i, step := range p.steps {
		printed[i] = s.run(step.command)
	}
	return p.with(printed)
}

// copyCorpus copies the module's source, which nobody may write to where it is.
func copyCorpus(t *testing.T, to string) {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", corpus).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(strings.TrimSpace(string(dir)))); err != nil {
		t.Fatal(err)
	}
}

// rounded is a figure that may differ in its last digit from one kind of
// processor to another.
var rounded = regexp.MustCompile(`\b\d+\.\d{2,3}\b`)

func compare(t *testing.T, file, is, want string) {
	t.Helper()
	if is == want {
		return
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	is, want = rounded.ReplaceAllString(is, "#"), rounded.ReplaceAllString(want, "#")
	if is == want {
		return
	}
	got, now := strings.Split(is, "\n"), strings.Split(want, "\n")
	for i := range min(len(got), len(now)) {
		if got[i] != now[i] {
			t.Errorf("%s:%d shows\n\t%s\nand the program prints\n\t%s\n`make sessions` writes it anew", file, i+1, got[i], now[i])
			return
		}
	}
	t.Errorf("%s shows %d lines, now there are %d: `make sessions` writes it anew", file, len(got), len(now))
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
