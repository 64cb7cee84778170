package cli_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestGoldenQuestions_AreKeptAskedAndRemoved(t *testing.T) {
	t.Parallel()
	folder := tree(t, small)
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	here := func(args ...string) *exec.Cmd {
		cmd := program(t, append(append([]string{"eval"}, args...), "--data", i.data)...)
		cmd.Dir = folder
		return cmd
	}
	run := func(args ...string) result {
		t.Helper()
		r := finish(t, here(args...))
		if r.code != 0 {
			t.Fatalf("eval %v: exit %d\n%s%s", args, r.code, r.stdout, r.stderr)
		}
		return r
	}
	refuse(t, here(), "no golden question is kept", "freshet eval add")
	refuse(t, here("add", "does it fly?"), "neither a place nor --source", "--source")
	refuse(t, here("add", "does it fly?", "--source", "none"), `no source "none"`, "freshet source list")
	refuse(t, here("remove", "0123"), "write SOURCE:ID")

	run("add", "ParseHeron", "parse.go:3-4")
	source := filepath.Base(folder)
	if r := run("add", "quarterly revenue of zymurgy exporters", "--source", source); !strings.Contains(r.stdout, "2 golden questions") {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
	listed := run("list").stdout
	for _, want := range []string{"  ParseHeron\n  parse.go:3-4\n", "exporters\n  nothing answers it\n"} {
		if !strings.Contains(listed, want) {
			t.Errorf("listed is %q, want %q", listed, want)
		}
	}
	if r := run("--arm", "words=vector"); !strings.Contains(r.stdout, "golden  2 tasks, 1 of them without an answer") || !strings.Contains(r.stdout, "words") {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}

	if r := run("keep"); !strings.Contains(r.stdout, "nothing is kept") {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
	refuse(t, here("keep", "stm=1"), "did you mean stem")
	refuse(t, here("keep", "vector"), "no KEY=VALUE")
	refuse(t, here("keep", "min_confidence=2"), "choose 0 to 1")
	for _, nothing := range [][]string{{"keep", "min_confidence=0"}, {"keep", "--note", "as it won"}} {
		refuse(t, here(nothing...), "nothing is named to keep")
	}
	kept := "stem=0, min_confidence=0.01, kept "
	if r := run("keep", "stem=0", "min_confidence=0.01", "--note", "as it won"); !strings.HasPrefix(r.stdout, kept) || !strings.Contains(r.stdout, ": as it won") {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
	if r := finish(t, program(t, "status", "--data", i.data)); !strings.Contains(r.stdout, kept) {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
	if r := run("keep", "--remove"); !strings.Contains(r.stdout, "taken back") {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
	id := regexp.MustCompile(`(?m)^(\S+)  ParseHeron$`).FindStringSubmatch(listed)
	if id == nil {
		t.Fatalf("no id in %q", listed)
	}
	if r := run("remove", id[1]); !strings.Contains(r.stdout, "1 golden question left") {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
	refuse(t, here("remove", id[1]), "there is no golden question", "list those")
}
