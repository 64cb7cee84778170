package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestListOfFiles_IsForPeopleAndPrograms(t *testing.T) {
	t.Parallel()
	folder := tree(t, map[string]string{
		"parse.go":        "package api\n\nfunc ParseHeron(s string) string { return s }\n",
		"a b\n/README.md": "# Herons\n",
		"sub/reeds.md":    "reeds\n",
		"logo.png":        "\x89PNG\x00\x00\x00",
	})
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	files := func(args ...string) result {
		cmd := program(t, append([]string{"files", "--data", i.data}, args...)...)
		cmd.Dir = folder
		return finish(t, cmd)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"-0", 0, "a b\n/README.md\x00parse.go\x00sub/reeds.md\x00"},
		{"-1 *.go sub", 0, "parse.go\nsub/reeds.md\n"},
		{"-1 --lang markdown sub", 0, "sub/reeds.md\n"},
		{"-1 --limit 1 --path sub/ --path *.go", 0, "parse.go\n"},
		{"-1 --skipped", 0, "logo.png\n"},
		{"-1 *.rs", 1, ""},
		{"-1 /nowhere", 2, ""},
		{"-1 -0", 2, ""},
		{"--limit -1", 2, ""},
	} {
		if r := files(strings.Fields(c.args)...); r.code != c.code || r.stdout != c.want {
			t.Errorf("files %s: exit %d, %q, want %d, %q\n%s", c.args, r.code, r.stdout, c.code, c.want, r.stderr)
		}
	}
	if r := files("reeds.md"); r.code != 1 || !strings.Contains(r.stderr, "**/reeds.md") {
		t.Errorf("a file that lies in another folder: exit %d, %q, want 1 and how it is found", r.code, r.stderr)
	}
	if r := files("**/reeds.md"); r.code != 0 {
		t.Errorf("as that says: exit %d, %q", r.code, r.stderr)
	}
	r := files()
	if line, _, _ := strings.Cut(strings.SplitAfterN(r.stdout, "\n", 2)[1], "\n"); !strings.Contains(line, "59 B  go") || !strings.HasSuffix(line, "  parse.go") {
		t.Errorf("the table has %q", r.stdout)
	}
	if !strings.Contains(r.stderr, "3 documents, ") || !strings.Contains(r.stderr, "left out (--skipped): binary 1") {
		t.Errorf("it comes to %q", r.stderr)
	}
	if r := files("--skipped"); !strings.Contains(r.stdout, "binary") || !strings.Contains(r.stderr, "1 document left out") {
		t.Errorf("left out: %q\n%s", r.stdout, r.stderr)
	}
	if r := files("--limit", "1"); !strings.Contains(r.stderr, "and 2 more") {
		t.Errorf("what is not listed: %q", r.stderr)
	}
	lines := strings.Split(strings.TrimSpace(files("--json").stdout), "\n")
	if part := strict[contract.FilesPart](t, "files-part", lines[0]); len(part.Files) != 3 {
		t.Errorf("%+v", part)
	}
	if part := strict[contract.FilesPart](t, "files-part", lines[1]); part.Summary == nil || part.Summary.Documents != 3 {
		t.Errorf("%+v", part)
	}
	i.stop()
}
