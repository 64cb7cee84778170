package cli_test

import (
	"strings"
	"testing"
)

func TestValue_IsCompleted(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"search", "--lang", "pyt"}, "python"},
		{[]string{"dlq", "list", "--stage", "indexer-l"}, "indexer-lexical"},
		{[]string{"grep", "--lang", "pyt"}, "python"},
		{[]string{"dlq", "retry", "--kind", "pan"}, "panic"},
		{[]string{"ver"}, "version"},
	} {
		r := run(t, append([]string{"__complete"}, c.args...)...)
		if !strings.Contains(r.stdout, c.want) {
			t.Errorf("%v is completed to %q, want %s", c.args, r.stdout, c.want)
		}
	}
}
