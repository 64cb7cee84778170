package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestRead_IsWhatTheFileHas(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("heron ", 30_000)
	folder := tree(t, map[string]string{
		"parse.go":     "package api\n\n// ParseHeron reads a heron.\nfunc ParseHeron(s string) string { return s }\n",
		"crlf.md":      "# Herons\r\n\r\nin the reeds",
		"latin.txt":    "caf\xe9\n",
		"broken.txt":   "café caf\xe9\n",
		"sub/long.txt": strings.Repeat(strings.Repeat("heron ", 100)+"\n", 1500) + "end\n",
		"sub/one.txt":  long,
		"odd:7":        "the file of that name\n",
	})
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	read := func(args ...string) result {
		cmd := program(t, append([]string{"read", "--data", i.data}, args...)...)
		cmd.Dir = folder
		return finish(t, cmd)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"parse.go:1-1", 0, "package api\n"},
		{"parse.go:3", 0, "// ParseHeron reads a heron.\nfunc ParseHeron(s string) string { return s }\n"},
		{"parse.go:4- -n", 0, "4\tfunc ParseHeron(s string) string { return s }\n"},
		{"./sub/../crlf.md", 0, "# Herons\r\n\r\nin the reeds"},
		{"latin.txt", 0, "café\n"},
		{"broken.txt", 0, "café caf\xe9\n"},
		{"odd:7", 0, "the file of that name\n"},
		{"parse.go --limit 1", 0, "package api\n"},
		{"parse.go:9", 2, ""},
		{"parse.go:3-1", 2, ""},
		{"parse.go:0", 2, ""},
		{"prase.go", 2, ""},
		{"sub", 2, ""},
		{"parse.go --view main", 2, ""},
	} {
		if r := read(strings.Fields(c.args)...); r.code != c.code || r.stdout != c.want || (r.code == 2) == (r.stderr == "") && !strings.Contains(c.args, "limit") {
			t.Errorf("read %s: exit %d, %q, want %d, %q\n%s", c.args, r.code, r.stdout, c.code, c.want, r.stderr)
		}
	}
	if r := read("prase.go"); !strings.Contains(r.stderr, "did you mean parse.go?") || !strings.Contains(r.stderr, "freshet explain") {
		t.Errorf("a wrong name: %s", r.stderr)
	}
	if r := read("parse.go", "--limit", "1"); !strings.Contains(r.stderr, "go on with `freshet read parse.go:2`") {
		t.Errorf("what is left: %s", r.stderr)
	}
	// More than one answer holds.
	if r := read("sub/long.txt"); r.code != 0 || len(r.stdout) != 1500*601+4 || !strings.HasSuffix(r.stdout, "\nend\n") {
		t.Errorf("exit %d, %d bytes\n%s", r.code, len(r.stdout), r.stderr)
	}
	if r := read("sub/one.txt"); r.code != 0 || len(r.stdout) != 65536 || !strings.Contains(r.stderr, "long lines") {
		t.Errorf("exit %d, %d bytes\n%s", r.code, len(r.stdout), r.stderr)
	}
	if reply := strict[contract.ReadReply](t, "read-reply", read("parse.go", "--json").stdout); reply.Total != 4 {
		t.Errorf("%+v", reply)
	}
	i.stop()
}
