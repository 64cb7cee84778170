package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestOutline_IsWhatTheFolderHas(t *testing.T) {
	t.Parallel()
	folder := tree(t, map[string]string{
		"parse.go":     "package api\n\n// ParseHeron reads a heron.\nfunc ParseHeron(s string) string {\n\treturn s\n}\n",
		"sub/reeds.md": "# Herons\n\nA heron stands.\n",
	})
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	outline := func(args ...string) result {
		cmd := program(t, append([]string{"outline", "--data", i.data}, args...)...)
		cmd.Dir = folder
		return finish(t, cmd)
	}
	for _, c := range []struct {
		args string
		code int
		has  []string
	}{
		{"parse.go", 0, []string{"ParseHeron", "parse.go:", "-6"}},
		{"sub/reeds.md", 0, []string{"Herons", "section"}},
		{"", 0, []string{"parse.go", "sub/", "1 document"}},
		{".", 0, []string{"parse.go", "sub/", "1 document"}},
		{"sub", 0, []string{"sub/reeds.md"}},
		{"nowhere", 2, nil},
		{". --limit 0", 2, nil},
	} {
		r := outline(strings.Fields(c.args)...)
		if r.code != c.code || (r.code == 2) != (r.stdout == "") {
			t.Errorf("outline %s: exit %d, %q\n%s", c.args, r.code, r.stdout, r.stderr)
		}
		for _, what := range c.has {
			if !strings.Contains(r.stdout, what) {
				t.Errorf("outline %s has no %q: %s", c.args, what, r.stdout)
			}
		}
	}
	if reply := strict[contract.OutlineReply](t, "outline-reply", outline("parse.go", "--json").stdout); reply.Document == nil {
		t.Errorf("%+v", reply)
	}
	i.stop()
}
