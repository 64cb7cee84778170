package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestRelated_IsWhatTheCodeSays(t *testing.T) {
	t.Parallel()
	folder := tree(t, map[string]string{
		"net/retry.go":      "package net\n\n// Retry tries again.\nfunc Retry(n int) error {\n\treturn backOff(n)\n}\n",
		"net/backoff.go":    "package net\n\nfunc backOff(n int) error {\n\treturn nil\n}\n",
		"net/retry_test.go": "package net\n\nimport \"testing\"\n\nfunc TestRetry(t *testing.T) {\n\tif Retry(3) != nil {\n\t\tt.Fatal()\n\t}\n}\n",
		"cmd/main.go":       "package main\n\nimport \"net\"\n\n// main says nothing of Retry(3).\nfunc main() {\n\tx := 1\n\tprintln(net.Retry(x))\n}\n",
		"alone.md":          "# Weir\n\nHerons stand at the weir.\n",
	})
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	ask := func(args ...string) result {
		cmd := program(t, append([]string{"related", "--data", i.data, "--token", "latest", "--deadline", "60s"}, args...)...)
		cmd.Dir = folder
		return finish(t, cmd)
	}
	for _, c := range []struct {
		args string
		code int
		has  []string
	}{
		{"net/retry.go:4", 0, []string{"net/backoff.go:3  defines backOff", "cmd/main.go:8  uses Retry", "net/retry_test.go:6  tests Retry", "net.Retry(x)", "near"}},
		{"net/backoff.go:3 --relation called_by --no-excerpt", 0, []string{"net/retry.go:5  uses backOff  Retry\n"}},
		{"alone.md:3 --relation calls", 1, nil},
		{"net/retry.go", 2, nil},
		{"net/retry.go:99", 2, nil},
		{"net/retry.go:4 --relation likes", 2, nil},
		{"net/retry.go:4 --limit 0", 2, nil},
	} {
		r := ask(strings.Fields(c.args)...)
		if r.code != c.code || (r.code == 0) == (r.stdout == "") {
			t.Errorf("related %s: exit %d, %q\n%s", c.args, r.code, r.stdout, r.stderr)
		}
		for _, what := range c.has {
			if !strings.Contains(r.stdout, what) {
				t.Errorf("related %s has no %q: %s", c.args, what, r.stdout)
			}
		}
	}
	if reply := strict[contract.RelatedReply](t, "related-reply", ask("net/retry.go:4", "--json").stdout); len(reply.Related) < 3 {
		t.Errorf("%+v", reply)
	}
	i.stop()
}
