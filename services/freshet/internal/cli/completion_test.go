package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestValue_IsCompleted(t *testing.T) {
	i := start(t, filepath.Join(t.TempDir(), "data"), filepath.Join(tree(t, map[string]string{"herons/a.md": "The heron waits.\n"}), "herons"))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"search", "--lang", "pyt"}, "python"},
		{[]string{"dlq", "list", "--stage", "indexer-l"}, "indexer-lexical"},
		{[]string{"grep", "--lang", "pyt"}, "python"},
		{[]string{"dlq", "retry", "--kind", "pan"}, "panic"},
		{[]string{"ver"}, "version"},
		{[]string{"search", "--data", i.data, "--source", "her"}, "herons"},
		{[]string{"source", "remove", "--data", i.data, "her"}, "herons"},
	} {
		r := run(t, append([]string{"__complete"}, c.args...)...)
		if !strings.Contains(r.stdout, c.want) {
			t.Errorf("%v is completed to %q, want %s", c.args, r.stdout, c.want)
		}
	}
}
